const names = [
  // Instructions and servers of agents.
  '(?:agents?|claude|gemini|qwen|crush|warp|codebuddy|copilot-instructions|codex|opencode|replit)(?:\\.(?:local|override))?\\.md',
  '(?:cline_)?mcp(?:[-_]?(?:config|settings|servers?))?\\.jsonc?',
  '(?:opencode|crush|kilo|firebender|conductor|gemini-extension|claude_desktop_config)\\.jsonc?',
  // Run when a directory is entered or a project is opened.
  'mise(?:\\.[\\w-]+)*\\.toml|devfile\\.ya?ml|pyvenv\\.cfg|rust-toolchain(?:\\.toml)?',
  '_(?:vimrc|gvimrc|exrc|emacs|netrc|curlrc|darcs|svn|fossil_)',
  // Hooks of a repository.
  'git-?hooks|lefthook(?:-local)?\\.(?:ya?ml|toml|jsonc?)|git~\\d+',
  // Settings that programs look for wherever they run, and that name code or its source.
  '(?:site|user)customize\\.p[yl]|pip\\.(?:conf|ini)|uv\\.toml|bunfig\\.toml|pnpmfile\\.c?js|nuget\\.config',
  '(?:msbuild|directory\\.build)\\.rsp|ansible\\.cfg|latexmkrc|authorized_keys2?|(?:[\\w.]+_)?profile\\.ps1',
  // Run by a service as soon as they are pushed.
  'jenkinsfile(?:\\.\\w+)?|azure-pipelines(?:[-.][\\w.-]*)?\\.ya?ml|bitbucket-pipelines\\.ya?ml',
  '(?:appveyor|buildspec|cloudbuild|codemagic|bitrise)\\.ya?ml',
]

/** Names of files, in lower case and without a leading dot, from which programs take what they run (SHELL-11). */
export const orderNames = new RegExp(`^(?:${names.join('|')})$`)

/** Endings of such names. */
export const orderEndings = /\.(?:pth|code-workspace|sublime-project|ipr)$/

/** Such files that only their folder tells: what a shell sources when it enters an environment, settings of mise. */
export const orderPaths =
  /(?:^|\/)(?:(?:v?env|virtualenv)\/(?:bin|scripts)\/.|mise\/(?:conf\.d\/.|config(?:\.[\w-]+)*\.toml(?:\/|$)))/
