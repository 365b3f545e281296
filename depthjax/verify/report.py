"""stub"""


def write_report(run):
    return run.path / "report.html"
