"""The command `clicks`, which makes judgments from logs of clicks.

| module | what it holds |
|---|---|
| `command` | the command |
| `reading` | which kind of log a file is: a table, or User Behavior Insights |
| `table_logs` | tables with query, document, position, impressions and clicks |
| `ubi` | User Behavior Insights: searches and events become impressions and clicks |
| `ubi_files` | records of User Behavior Insights in JSON Lines, bulk files, JSON and tables |
| `click_log` | `ClickLog`: impressions and clicks of each pair at each position |
| `left_out` | what a log has that gives no judgment, and why |
| `rates` | the rates of positions: fitted, read from a file, or assumed |
| `grading` | the judgments: clicks over expected clicks, and their levels |
| `writing` | the file of judgments, and the report |
"""
