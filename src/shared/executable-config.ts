import {
  executableConfigExtensions,
  executableConfigNames,
  executableConfigPaths,
} from './executable-config-names.ts'

/** Hidden names that are harmless: ignore files, version files, caches, build output. */
const harmlessHidden = new RegExp(
  `^\\.(?:${[
    '(?:git|docker|npm|eslint|prettier|stylelint|helm|vercel|gcloud|cf)ignore',
    // Lock files of Emacs, and outputs of a Nix flake (`.#app`).
    '#[\\w-]+',
    'gitkeep|keep|nojekyll|mailmap|editorconfig|browserslistrc|ds_store',
    'env\\.(?:example|sample|template)|(?:node|python|ruby|java|go|terraform)-version|nvmrc',
    'cache|next|nuxt|output|turbo|parcel-cache|svelte-kit|angular|astro|vite|tmp|temp',
    '(?:pytest|mypy|ruff)_cache|nyc_output|coverage|eslintcache|stylelintcache|tsbuildinfo',
    // File extensions, as command options take them.
    '[cm]?[jt]sx?|d\\.ts|json[c5l]?|vue|svelte|astro|s?css|less|html?|md|mdx|txt|ya?ml|toml|xml|csv|tsv|sql|log|map|lock|bak|orig',
    'pyi?|ipynb|go|rs|java|kt|scala|rb|php|cs?|h|cc|cpp|hpp|swift|dart|lua|ex|exs|sh|proto|graphql|png|jpe?g|svg|gif|webp|pdf|gz|zip|tar',
  ].join('|')})$`,
)

/** Code points that some file systems ignore when comparing names, as in git's check of `.git`. */
const ignorable = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

/**
 * SHELL-11: true for a path from which programs load commands or settings: hidden start files, hooks and
 * configuration (`.bashrc`, `.git/config`, `.npmrc`, `.vscode/tasks.json`), the inside of a bare repository, and some
 * well-known names. Takes a path relative to the workspace, which is HOME in the box. Every hidden name counts unless
 * it is known to be harmless, since new tools bring new files. Comparison ignores case. Everything in a matching
 * folder matches.
 */
export function isExecutableConfig(relative: string): boolean {
  const parts = relative.split('/').map(folded)
  const isOne = parts.some(
    (part, at) =>
      (part.startsWith('.') && !/^\.*$|^\.[[(|]|^\.{3}/.test(part) && !harmlessHidden.test(part)) ||
      executableConfigNames.test(part) ||
      executableConfigExtensions.test(part) ||
      (/[^.]\.git$/.test(part) && at < parts.length - 1),
  )
  return isOne || executableConfigPaths.test(parts.join('/'))
}

/** Normalises a name. Drops trailing blanks and dots and the stream suffix after a colon, as Windows does. */
function folded(part: string): string {
  if (/^[a-z\d_-][a-z\d_.-]*$/.test(part)) return part
  return part
    .replace(ignorable, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/(?<=[^.])[ .]+$/, '')
}
