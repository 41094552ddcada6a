import { fail } from '../refusal.ts'

const mark = '[redacted:'

/** OUT-08: refuses text with a redaction mark, copied from tool output, since writing it would destroy the secret. */
export function assertNoRedaction(...texts: readonly string[]): void {
  if (texts.some((text) => text.includes(mark))) {
    fail(
      'policy_blocked',
      `The text holds a redaction mark (${mark}…]); writing it would replace a real secret`,
    )
  }
}
