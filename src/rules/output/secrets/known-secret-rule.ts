import type { SecretRule } from './secret-rule.ts'

/** A secret that is known, in one of its forms. */
export function knownSecretRule(kind: string, form: string): SecretRule {
  return {
    keywords: [form],
    find(text, at, from) {
      if (at < from || !text.startsWith(form, at)) return undefined
      const end = at + form.length
      return { spans: [{ start: at, end, kind }], end }
    },
  }
}
