/** How a name speaks of what is assigned to it. */
export type NameKind = 'password' | 'secret' | 'none'

/** What the name on the left of an assignment promises of the value. */
export function nameKind(name: string): NameKind {
  const words = toSnakeCase(name).replace(/[0-9]+$/, '')
  if (about.test(words) || harmless.test(words)) return 'none'
  if (password.test(words)) return 'password'
  return secret.test(words) || secretKey.test(words) ? 'secret' : 'none'
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

/** Names that end so tell something about a secret, not the secret. */
const about = new RegExp(
  `(?:${anyOf(`
    names? types? counts? limits? lengths? size expir[a-z]* ttl ur[li]s? paths? files? dirs? refs? arn
    versions? algorithms? alg hash policy scopes? formats? prefix suffix headers? fields? columns? labels?
    titles? descriptions? status placeholders? hints? regex patterns? time date issuer endpoint hosts? provider
    class method usage rotation rules? errors? messages? ids? izer kind index lifetime timeout store manager map
    list set used budget checksum digest fingerprint sha[0-9]* _at per_[a-z]+ help text tests? encryption
    encoding encode mgr commit revision rev tree`)})$`,
)

/** What is counted, walked through, published or derived. */
const harmless = new RegExp(
  `(?:^|[_. -])(?:${anyOf(`
    next page continuation sync cursor delta resume public pub publishable anon primary foreign partition sort
    cache idempotency object row map json dict hot short group lookup commit checksum integrity fingerprint
    thumbprint digest sha[0-9]* md5 etag max min num total prompt completion input output bos eos pad unk
    mask`)})(?:_?access|_?start|_?change|_?sync)?[_. -]?(?:tokens?|keys?|secrets?)$`,
)

const password = /passw(?:or)?d|passphrase|pwd|(?:^|[_. -])(?:pass|pw)$/
const secret = /secret|token|credential|creds|_auth$/

/** Keys are secret by the word before them alone. */
const secretKey = new RegExp(
  `(?:${anyOf(`
    api access private secret encrypt(?:ion)? decrypt(?:ion)? sign(?:ing)? master account shared auth licen[sc]e
    service app application session hmac jwt crypto? cipher storage deploy webhook rsa ssh ssl tls aes admin
    server client root ingest integration subscription functions? project cookie security developer dev prod
    live bot org team user write read personal datadog dd heroku cloudflare algolia stripe twilio openai
    anthropic azure aws gcp google`)})[_. -]?key(?:_?base)?$`,
)

function anyOf(words: string): string {
  return words.trim().split(/\s+/).join('|')
}
