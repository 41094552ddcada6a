import type { ToolError } from '../../domain/tool/tool-error.ts'

const reasons: readonly (readonly [RegExp, (host: string) => string])[] = [
  [/^(?:ENOTFOUND|ENODATA|EBADNAME)$/, (host) => `${host} has no address (DNS)`],
  [
    /^(?:EAI_\w+|ESERVFAIL|EREFUSED|ETIMEOUT|EBADRESP|EFORMERR|ECANCELLED|ENOTIMP)$/,
    (host) => `the address of ${host} could not be looked up (DNS)`,
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, (host) => `the certificate is not one of ${host}`],
  [/CERT|SIGNATURE|ISSUER/, (host) => `the certificate of ${host} cannot be trusted`],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, (host) => `no secure connection to ${host} could be made`],
  [
    /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT)/,
    (host) => `${host} could not be connected to`,
  ],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)/, (host) => `${host} closed the connection`],
  [/^(?:HPE_|UND_ERR)/, (host) => `${host} did not speak HTTP as it should`],
]

/** WEB-06: classifies failures below HTTP during `step`. Reports only error codes, since messages may quote anything. */
export function classifyFailure(
  error: unknown,
  host: string,
  step: 'lookup' | 'request',
): ToolError {
  const code = codeOf(error)
  const known = reasons.find(([pattern]) => pattern.test(code))
  const fallback = step === 'lookup' ? 'could not be looked up (DNS)' : 'could not be reached'
  const reason = known?.[1](host) ?? `${host} ${fallback}`
  return { category: 'network_error', message: code === '' ? reason : `${reason}: ${code}` }
}

/** Returns the first code in a chain of causes. */
function codeOf(error: unknown): string {
  let at = error
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code.slice(0, 100)
    at = 'cause' in at ? at.cause : undefined
  }
  return ''
}
