"""Where the judgments of cases come from: the cases themselves, judgment files and files of queries."""
