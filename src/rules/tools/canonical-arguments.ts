import { canonicalJson } from '../../util/canonical-json.ts'

/**
 * OUT-11: serialises parsed arguments so that equal calls give equal text: keys sorted, and URLs as requested, without the
 * fragment, which is never sent to a server.
 */
export function canonicalArguments(args: Readonly<Record<string, unknown>>): string {
  const { url } = args
  return canonicalJson(typeof url === 'string' ? { ...args, url: canonicalUrl(url) } : args)
}

function canonicalUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  parsed.hash = ''
  return parsed.href
}
