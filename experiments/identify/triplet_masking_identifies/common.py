"""The predictors of two symbols from the third, in the order of the dimension ``predictor``."""

PREDICTORS = ("23|1", "13|2", "12|3")
