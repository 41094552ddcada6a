import { canonicalJson } from '../../util/canonical-json.ts'

/**
 * OUT-11: parsed arguments as text that is equal for equal calls, however the model wrote them: keys in one order, and a URL as it
 * is asked for, without the fragment, which no server is sent.
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
