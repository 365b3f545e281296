"""What both sides of the claim know."""

PREDICTORS = ("23|1", "13|2", "12|3")
