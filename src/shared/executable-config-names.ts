const names = [
  // Instructions and server lists of coding agents.
  '(?:agents?|claude|gemini|qwen|crush|warp|codebuddy|copilot-instructions|codex|opencode|replit)(?:\\.(?:local|override))?\\.md',
  '(?:cline_)?mcp(?:[-_]?(?:config|settings|servers?))?\\.jsonc?',
  '(?:opencode|crush|kilo|firebender|conductor|gemini-extension|claude_desktop_config)\\.jsonc?',
  // Files that are run when a directory is entered or a project is opened.
  'mise(?:\\.[\\w-]+)*\\.toml|devfile\\.ya?ml|pyvenv\\.cfg|rust-toolchain(?:\\.toml)?',
  '_(?:vimrc|gvimrc|exrc|emacs|netrc|curlrc|darcs|svn|fossil_)',
  // Hooks of a repository.
  'git-?hooks|lefthook(?:-local)?\\.(?:ya?ml|toml|jsonc?)|git~\\d+',
  // Settings that programs search in the working directory and that name code or its source.
  '(?:site|user)customize\\.p[yl]|pip\\.(?:conf|ini)|uv\\.toml|bunfig\\.toml|pnpmfile\\.c?js|nuget\\.config',
  '(?:msbuild|directory\\.build)\\.rsp|ansible\\.cfg|latexmkrc|authorized_keys2?|(?:[\\w.]+_)?profile\\.ps1',
  // The address from which a build's own starter fetches the program that it runs, and that program.
  'gradle-wrapper\\.(?:properties|jar)|maven-wrapper\\.(?:properties|jar)',
  // Files that a CI service runs once they are pushed.
  'jenkinsfile(?:\\.\\w+)?|azure-pipelines(?:[-.][\\w.-]*)?\\.ya?ml|bitbucket-pipelines\\.ya?ml',
  '(?:appveyor|buildspec|cloudbuild|codemagic|bitrise)\\.ya?ml',
]

/** File names from which programs load commands (SHELL-11), in lower case, without a leading dot. */
export const executableConfigNames = new RegExp(`^(?:${names.join('|')})$`)

/** Extensions of such files. */
export const executableConfigExtensions =
  /\.(?:pth|code-workspace|sublime-project|ipr|bazelrc|desktop)$/

/** Such files that are recognised only with their folder: activation scripts of virtual environments, settings of mise. */
export const executableConfigPaths =
  /(?:^|\/)(?:(?:v?env|virtualenv)\/(?:bin|scripts)(?:\/|$)|mise\/(?:conf\.d(?:\/|$)|config(?:\.[\w-]+)*\.toml(?:\/|$)))/
