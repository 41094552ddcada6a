/** The headers by which a browser says what it asks for. */
export interface BrowserHeaders {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/**
 * What is amiss with a request that a page in a browser made; undefined: none did, or one of `ownOrigin` itself, where that is
 * known. No page of another place may use the API, whatever token it got hold of.
 */
export function pageProblem(
  { origin, fetchSite }: BrowserHeaders,
  ownOrigin: string | undefined,
): string | undefined {
  const isOwn = ownOrigin !== undefined && (origin ?? ownOrigin) === ownOrigin
  const isFromPage = origin !== undefined || (fetchSite !== undefined && fetchSite !== 'none')
  const saysSame = fetchSite === undefined || fetchSite === 'none' || fetchSite === 'same-origin'
  if (!isFromPage || (isOwn && saysSame)) return undefined
  return 'pages of other origins may not use this'
}
