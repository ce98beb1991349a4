"""Grades of two machines and of people for two queries, `c b a` and `e d`."""

HEADER = "query,doc_id,grade,rater,machine\n"
MACHINE = """\
query,doc_id,grade,rater,machine,note
c b a,a,0,model-x/prompt-3,true,
c b a,b,2,model-x/prompt-3,true,
c b a,c,,model-x/prompt-3,true,cannot tell
e d,d,3,model-x/prompt-3,TRUE,
e d,e,1,model-y,true,
e d,e,3,model-x/prompt-3,true,
of another suite,z,9,model-x/prompt-3,true,
"""
PEOPLE = "query,doc_id,grade\nc b a,a,3\ne d,x,0\n"
FILES = "[{file: machine.csv, fill: true}, people.csv]"
"""How a suite names the two files."""
