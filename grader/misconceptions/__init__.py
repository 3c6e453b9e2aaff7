"""What students believe about autograd, and what a program gives if they are right.

    catalogue   the words: beliefs, truths, examples, families. Without torch
    worlds      each belief as a way to run an unchanged program. With torch: in the trusted worker process only

The package imports nothing by itself.
"""
