type Groups = Readonly<Record<string, string>>
type Arguments = Readonly<Record<string, unknown>>

const here =
  /^(?:here|there|this (?:directory|folder|workspace)|(?:the )?(?:current |working )?(?:directory|folder|workspace)|(?:all )?(?:the |my )?files?|everything|everywhere)$/i

export function toCommand({ rest = '' }: Groups): Arguments {
  return { command: unquote(rest, '`') }
}

export function toUrl({ url = '' }: Groups): Arguments {
  return { url: url.replace(/[.,;!?)>\]'"`]+$/, '') }
}

export function toScrape({ select = '', ...groups }: Groups): Arguments {
  return { ...toUrl(groups), select: unquote(select) }
}

export function toPath({ path = '' }: Groups): Arguments {
  return { path: toName(path) }
}

export function toPlace({ path = '' }: Groups): Arguments {
  return { path: placeOr(path, '.') }
}

export function toWrite({ path = '', text = '' }: Groups): Arguments {
  return { path: toName(path), content: unquote(text) }
}

/** No tool appends, so the shell does, with both texts quoted. */
export function toAppend({ path = '', text = '' }: Groups): Arguments {
  const quoted = [unquote(text), toName(path)].map((part) => `'${part.replaceAll("'", `'\\''`)}'`)
  return { command: `printf '%s\\n' ${quoted[0]} >> ${quoted[1]}` }
}

export function toEdit({ path = '', old = '', new: fresh = '' }: Groups): Arguments {
  return { path: toName(path), old_string: unquote(old), new_string: unquote(fresh) }
}

export function toEnds({ source = '', destination = '' }: Groups): Arguments {
  return { source: toName(source), destination: toName(destination) }
}

/** Text `/between slashes/` is a regular expression; other text is searched literally. */
export function toGrep({ text = '', path }: Groups): Arguments {
  const plain = unquote(text)
  const { regex } = /^\/(?<regex>.+)\/$/s.exec(plain)?.groups ?? {}
  const pattern = regex ?? plain.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  const where = placeOr(path ?? '', '')
  return where === '' ? { pattern } : { pattern, path: where }
}

/** A word without glob characters and extension matches anywhere in a name. */
export function toFind({ pattern = '', path = '' }: Groups): Arguments {
  const name = toName(pattern)
  return { path: placeOr(path, '.'), pattern: /[*?[{./]/.test(name) ? name : `*${name}*` }
}

function placeOr(path: string, otherwise: string): string {
  const name = toName(path)
  return name === '' || here.test(name)
    ? otherwise
    : name.replace(/^the (?:directory|folder) /i, '')
}

/** Strips the sentence punctuation from a name: its last full stop, but not that of `.` or `..`. */
function toName(text: string): string {
  return unquote(text.replace(/[,;:!?]+$|(?<=[^./])\.$/, ''))
}

function unquote(text: string, quotes = '"\'`'): string {
  const first = text.at(0)
  const isWrapped =
    text.length >= 2 && first !== undefined && quotes.includes(first) && text.at(-1) === first
  const inner = text.slice(1, -1)
  return isWrapped && !inner.includes(first) ? inner : text
}
