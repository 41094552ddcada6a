import type { TextSigner } from '../core/audit/signed-text.ts'
import type { Signer } from '../rules/jobs/sign.ts'

/** The agent's key, for text of the audit. */
export function toTextSigner({ kid, sign }: Signer): TextSigner {
  return { kid, signText: sign }
}
