import type { ModelError } from '../../../ports/model.ts'

/** What follows a model call that failed. */
export type NextTry =
  /** The same model, so much later. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** The second model, at once. */
  | { readonly kind: 'fallback' }
  | { readonly kind: 'never' }

interface Failed {
  readonly error: Pick<ModelError, 'isRetryable' | 'retryAfterMs'>
  /** Calls that failed before it. */
  readonly failures: number
  /** Since the first of them began. */
  readonly failingMs: number
  readonly budgetMs: number
  readonly hasFallback: boolean
}

const baseMs = 1_000
const mostMs = 30_000

/**
 * MODEL-04: what may be tried again is, after full jitter or as long as the provider asks, whichever is longer, while the
 * budget lasts; then the second model takes over. What the provider refused is not asked of it twice.
 * Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function nextTry(failed: Failed, random: () => number = Math.random): NextTry {
  const { error, failures, failingMs, budgetMs, hasFallback } = failed
  const jitterMs = random() * Math.min(mostMs, baseMs * 2 ** Math.min(failures, 30))
  const afterMs = Math.round(Math.max(jitterMs, error.retryAfterMs ?? 0))
  if (error.isRetryable && failingMs + afterMs <= budgetMs) return { kind: 'again', afterMs }
  return { kind: hasFallback ? 'fallback' : 'never' }
}
