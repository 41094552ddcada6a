const references = [
  /^(?:<.*>|\[.*\]|\{.*\}|%.*%|__.*__|@.*@)$/s,
  /\$\{|\{\{|<%|#\{|\$\([\w./-]{0,64}(?:\)|$)|%\(\w{1,64}\)[a-z]/,
  /^\$[A-Za-z_]\w*(?:$|->|-$|::|\[|\.)|^%[a-zA-Z]$|^:\w+$/,
  /^(?:process\.env|os\.environ|os\.getenv|import\.meta|env\.|secrets\.|vars\.|config\.|settings\.|this\.|self\.|System\.|ENV\[)/,
  /^(.)\1*$/s,
  /^(?:0?123456789|abcdef|qwerty)[a-z0-9]{0,8}$/i,
]

const words = [
  /x{4}|X{4}|\*{3}|\.{3}|…|•{3}|_{4}|-{4}|#{4}|\?{3}/,
  /(?:^|[^a-z])(?:your|example|placeholder|change-?_?me|replace-?_?me|insert|dummy|redacted|todo|fixme)(?:[^a-z]|$)/i,
  /(?:[^A-Za-z](?:[Hh]ere|HERE|[Gg]oes|GOES)|[a-z](?:Here|Goes)|[A-Z]{3}(?:HERE|GOES))$/,
]

/** Whether a text stands in for a secret: in documentation, templates, or code that reads it from elsewhere. */
export function isPlaceholder(value: string): boolean {
  return isReference(value) || words.some((form) => form.test(value))
}

const filler = /^(?:[xX]{3,}|\*{3,}|\.{3,}|…+|•{3,}|_{3,}|-{3,}|#{3,}|\?{3,})[0-9]{0,2}$/
const fillerWord =
  /^(?:your|my|the|an?|example|sample|placeholder|change|replace|with|to|me|this|insert|dummy|redacted|todo|fixme|please|some|enter|super|strong|secure|secret|password|passwd|passphrase|pass|pw|pwd|db|database|user|admin|root|app|value|token|key|here|goes|it)$/
const placeholderWord =
  /your|example|sample|placeholder|change|replace|insert|dummy|redacted|todo|fixme|here|goes/

/** As `isPlaceholder`, but passwords may contain words too: all parts must be typical of placeholders. */
export function isPasswordPlaceholder(value: string): boolean {
  if (isReference(value) || filler.test(value)) return true
  if (value.length > longestPlaceholder) return false
  const parts = value
    .replace(/[0-9]{0,4}[!.]?$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/changeme/, 'change_me')
    .replace(/replaceme/, 'replace_me')
    .split(/[-_. ]+/)
    .filter((part) => part !== '')
  return (
    parts.every((part) => fillerWord.test(part)) && parts.some((part) => placeholderWord.test(part))
  )
}

const longestPlaceholder = 80

function isReference(value: string): boolean {
  return references.some((form) => form.test(value))
}
