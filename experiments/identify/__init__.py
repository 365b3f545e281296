"""Claims about what an objective determines: masked prediction, bounded Dyck languages, noise contrast."""
