import { z } from 'zod'
import { duration, hostPath, integer, keyKinds, regex } from '../key-types.ts'

export const filtersSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Filters what commands print. Sanitising and the search for secrets always run.'),
    filters_path: z
      .union([z.literal(''), hostPath()])
      .register(keyKinds, { kind: 'host_path', expected: 'a path' })
      .default('')
      .describe('Rules of your own; empty: `filters.toml` beside the configuration file.'),
    security: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe('Tells the model what kind of secret was found. Redaction always happens.'),
        extra_patterns: z
          .array(regex())
          .default([])
          .describe(
            'Regular expressions of further secrets, of 512 characters at most; the first group is the secret, where there is one.',
          ),
      })
      .prefault({})
      .describe('The search for secrets in output.'),
  })
  .prefault({})
  .describe('Output filters.')

export const overflowSection = z
  .strictObject({
    threshold: integer(1)
      .default(50_000)
      .describe('Characters above which output is stored and cut to head and tail.'),
    retention_days: integer(1, 3_650).default(7).describe('Days that stored output is kept.'),
    max_overflow_bytes: integer(0)
      .default(10_485_760)
      .describe(
        'Bytes that are stored of one output; of a longer one head and tail are. 0: no limit.',
      ),
  })
  .prefault({})
  .describe('Output too long for the model.')

export const resultCacheSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Answers a repeated call of a tool that only reads from what it gave before.'),
    ttl_secs: duration(0).prefault(300).describe('How long an answer is kept; 0: no expiry.'),
    max_entries: integer(1, 1_000_000)
      .default(1_000)
      .describe('The most answers kept for one session.'),
  })
  .prefault({})
  .describe('The cache of results.')
