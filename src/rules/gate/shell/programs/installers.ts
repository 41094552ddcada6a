import type { Options } from './compiler-options.ts'

/**
 * SHELL-11: commands that put hooks in place, or settings by which other programs choose what they run, under names that stand
 * nowhere in the command.
 */
export const installers: Readonly<Record<string, Options>> = {
  husky: { sub: /^(?:init|install|add|set|uninstall)?(?: |$)/ },
  lefthook: { sub: /^(?:install|add|uninstall)\b/ },
  'pre-commit': {
    sub: /^(?:(?:un)?install|autoupdate|migrate-config|try-repo|init-templatedir)\b/,
  },
  pre_commit: { sub: /^(?:(?:un)?install|autoupdate|migrate-config|try-repo)\b/ },
  prek: { sub: /^(?:(?:un)?install|autoupdate|auto-update|try-repo|init-templatedir)\b/ },
  'simple-git-hooks': { sub: /^/ },
  'git-hooks': { sub: /^/ },
  overcommit: { long: 'install sign force uninstall template-dir' },
  'git-secrets': { long: 'install register-aws add-provider add' },
  captainhook: { sub: /^(?:install|configure|enable|disable)\b/ },
  grumphp: { sub: /^(?:git:(?:de)?init|configure)\b/ },
  talisman: { long: 'install' },
  mise: { sub: /^(?:trust|use|u|unuse|set|unset|settings|config set|alias set|link)\b/ },
  asdf: { sub: /^(?:local|global|set|plugin(?:-add| add)|shell)\b/ },
  rtx: { sub: /^(?:trust|local|global|use|set|settings)\b/ },
  direnv: { sub: /^(?:allow|grant|permit|edit|exec)\b/ },
  nvm: { sub: /^alias\b/ },
  poetry: { sub: /^(?:config \S|(?:self|source add)\b)/ },
  pdm: { sub: /^(?:config \S|(?:self|plugin)\b)/ },
  hatch: { sub: /^(?:config set|self)\b/ },
  conda: { sub: /^config \S/ },
  mamba: { sub: /^config \S/ },
  nuget: { sub: /^(?:sources? (?:add|update|enable)|setapikey|config)\b/i },
  heroku: { sub: /^(?:git:remote|plugins:(?:install|link))/ },
  vercel: { sub: /^(?:link|env pull|pull)\b/ },
  rustup: { sub: /^(?:override set|default \S|set|toolchain link|self)/ },
  az: { sub: /^(?:config (?:set|unset)|configure|extension add)\b/ },
  jj: { sub: /^(?:util exec|config (?:set|edit)|run|git remote add)\b/ },
  flyctl: { sub: /^(?:config save|auth docker)\b/ },
  fly: { sub: /^(?:config save|auth docker)\b/ },
}
