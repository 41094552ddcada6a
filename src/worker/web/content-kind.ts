/** Kind of content by media type; `unknown` if the type is unspecific and the bytes must decide. */
export type ContentKind = 'html' | 'xml' | 'text' | 'binary' | 'unknown'

export interface ContentType {
  readonly kind: ContentKind
  /** Media type in lower case, without parameters, shortened for messages. */
  readonly type: string
  readonly charset: string | undefined
}

const textTypes =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|json5|jsonl|ndjson|x-ndjson|json-seq|javascript|x-javascript|ecmascript|typescript|yaml|x-yaml|toml|sql|graphql|x-sh|x-httpd-php|x-www-form-urlencoded|rtf|x-tex|x-latex))$/

/** Parses a `Content-Type` (RFC 9110, 8.3); never throws. */
export function toContentType(header: string | undefined): ContentType {
  const [first = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const type = first
    .trim()
    .replaceAll(/[^\w!#$&^.+/-]/g, '')
    .slice(0, 100)
  return { kind: kindOf(type), type, charset: charsetOf(parameters) }
}

function kindOf(type: string): ContentKind {
  if (type === '' || type === 'unknown/unknown' || type === '*/*') return 'unknown'
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (/^(?:text|application)\/xml$|\+xml$/.test(type)) return 'xml'
  return textTypes.test(type) ? 'text' : 'binary'
}

function charsetOf(parameters: readonly string[]): string | undefined {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim() === 'charset') return value.trim().replaceAll(/^["']|["']$/g, '') || undefined
  }
  return undefined
}
