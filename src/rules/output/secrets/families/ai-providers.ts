import { hasDigit, isMadeUp, isWordy } from '../randomness.ts'
import type { SecretRule } from '../secret-rule.ts'
import { alnum, hex, shortToken, token, withPrefix, word } from '../token.ts'

/** AI models and related services. */
export const aiRules: readonly SecretRule[] = [
  withPrefix('api-key', 'sk-', `${word}{20,512}`, {
    accept: (value) => hasDigit(value) && !isMadeUp(value) && !isWordy(value),
  }),
  token('groq-key', 'gsk_', alnum, 40),
  token('xai-key', 'xai-', alnum, 60),
  token('perplexity-key', 'pplx-', alnum, 40),
  shortToken('replicate-token', 'r8_', alnum, 37, 40),
  token('together-key', 'tgp_v1_', word, 40),
  shortToken('fireworks-key', 'fw_', alnum, 22, 40),
  token('nvidia-key', 'nvapi-', word, 50),
  token('cerebras-key', 'csk-', alnum, 40),
  token('langsmith-key', ['lsv2_pt_', 'lsv2_sk_', 'ls__'], '[a-f0-9_]', 32),
  token('pinecone-key', 'pcsk_', '[A-Za-z0-9_]', 40),
  token('jina-key', 'jina_', word, 40),
  token('tavily-key', ['tvly-dev-', 'tvly-prod-', 'tvly-'], word, 28),
  shortToken('firecrawl-key', 'fc-', hex, 32),
  shortToken('voyage-key', 'pa-', word, 40, 48),
  withPrefix('elevenlabs-key', 'sk_', `${hex}{48}`),
  token('anyscale-key', ['esecret_', 'aph0_'], alnum, 24),
  shortToken('e2b-key', 'e2b_', hex, 40),
  token('langfuse-key', 'sk-lf-', '[a-f0-9-]', 36),
  token('browserbase-key', 'bb_live_', word, 20),
  shortToken('modal-token', ['ak-', 'as-'], alnum, 22),
  token('runpod-key', 'rpa_', alnum, 30),
]
