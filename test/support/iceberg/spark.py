"""Runs statements in one session of Spark. A request and a response are a line of JSON each."""

import datetime
import decimal
import json
import os
import sys

from pyspark.sql import SparkSession

options = json.loads(sys.argv[1])
responses = os.fdopen(os.dup(1), "w")
# Spark prints to the standard output.
os.dup2(2, 1)

builder = SparkSession.builder.master("local[1]")
for name, value in options.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def printed(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, (datetime.date, decimal.Decimal)):
        return str(value)
    return value


for line in sys.stdin:
    try:
        rows = spark.sql(json.loads(line)).collect()
        response = {"result": [{k: printed(v) for k, v in row.asDict().items()} for row in rows]}
    except Exception as error:
        response = {"error": f"{type(error).__name__}: {error}"[:2000]}
    print(json.dumps(response), file=responses, flush=True)
