"""Fuzzing of the readers: ``python -m fuzz`` changes whole files at random and reads what comes of it.

corpus/     whole files of every format, made by code
edits.py    a change of bytes that can be repeated and made smaller
mutate.py   random changes of bytes
words.py    random changes of text
cases.py    file number i of seed s
judge.py    what a reader may do with a file: data, or a DataError of one line
worker.py   the process that reads, and the watchdog over it
minimize.py the smallest change that still fails in the same way
report.py   a finding on disk
run.py      many files, the findings, and the summary
"""
