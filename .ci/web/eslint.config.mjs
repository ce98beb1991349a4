import js from "@eslint/js";
import globals from "globals";

const rules = {
  ...js.configs.recommended.rules,
  curly: "error",
  eqeqeq: "error",
  "no-implicit-coercion": "error",
  "no-restricted-properties": [
    "error",
    ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln"].map((property) => ({
      property,
      message: "Text of users is set by textContent or as a child node.",
    })),
  ],
  "no-shadow": "error",
  "no-var": "error",
  "prefer-const": "error",
};

const language = { ecmaVersion: 2022, sourceType: "script", globals: globals.browser };

export default [
  {
    files: ["**/*.js"],
    languageOptions: language,
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...rules,
      // The files share their top-level names: see whole.js, and the compiler.
      "no-undef": "off",
      "no-unused-vars": ["error", { vars: "local" }],
    },
  },
  {
    // All files of the script in one, as the page has them.
    files: ["**/whole.js"],
    rules: { "no-undef": "error", "no-unused-vars": ["error", { vars: "all" }] },
  },
];
