import { orderEndings, orderNames, orderPaths } from './order-names.ts'

/** Hidden files and folders that no program takes orders from: lists of what to leave out, versions, caches, build output. */
const plainHidden = new RegExp(
  `^\\.(?:${[
    '(?:git|docker|npm|eslint|prettier|stylelint|helm|vercel|gcloud|cf)ignore',
    // Locks of Emacs, and outputs of a flake (`.#app`).
    '#[\\w-]+',
    'gitkeep|keep|nojekyll|mailmap|editorconfig|browserslistrc|ds_store',
    'env\\.(?:example|sample|template)|(?:node|python|ruby|java|go|terraform)-version|nvmrc',
    'cache|next|nuxt|output|turbo|parcel-cache|svelte-kit|angular|astro|vite|tmp|temp',
    '(?:pytest|mypy|ruff)_cache|nyc_output|coverage|eslintcache|stylelintcache|tsbuildinfo',
    // Endings of names, as options take them.
    '[cm]?[jt]sx?|d\\.ts|json[c5l]?|vue|svelte|astro|s?css|less|html?|md|mdx|txt|ya?ml|toml|xml|csv|tsv|sql|log|map|lock|bak|orig',
    'pyi?|ipynb|go|rs|java|kt|scala|rb|php|cs?|h|cc|cpp|hpp|swift|dart|lua|ex|exs|sh|proto|graphql|png|jpe?g|svg|gif|webp|pdf|gz|zip|tar',
  ].join('|')})$`,
)

/** Code points that some file systems leave out when they compare names, as git's own check of `.git` knows. */
const ignorable = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

/**
 * SHELL-11: whether a file, by its path from the workspace (which is HOME in the box), is one from which programs take what
 * they run: hidden start files, hooks and settings (`.bashrc`, `.git/config`, `.npmrc`, `.vscode/tasks.json`), the inside of a bare
 * repository, and a few by their names. All hidden ones count, save those that are known to be harmless: new tools bring
 * new settings. Names are compared as file systems do that know no case. A folder counts like what lies in it.
 */
export function givesOrders(relative: string): boolean {
  const parts = relative.split('/').map(folded)
  const isOne = parts.some(
    (part, at) =>
      (part.startsWith('.') && !/^\.*$|^\.[[(|]/.test(part) && !plainHidden.test(part)) ||
      orderNames.test(part) ||
      orderEndings.test(part) ||
      (/[^.]\.git$/.test(part) && at < parts.length - 1),
  )
  return isOne || orderPaths.test(parts.join('/'))
}

/** Also without the blanks and dots that Windows drops at the end of a name, and the stream that it takes after a colon. */
function folded(part: string): string {
  if (/^[a-z\d_-][a-z\d_.-]*$/.test(part)) return part
  return part
    .replace(ignorable, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/(?<=[^.])[ .]+$/, '')
}
