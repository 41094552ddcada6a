import { z } from 'zod'
import { duration, hostPath, integer, keyKinds, regex, textLike } from '../key-types.ts'
import {
  adversarialSection,
  anomalySection,
  authorizationSection,
  permissionsSection,
  policySection,
} from './schema-rules.ts'
import { dependenciesSection, schemaFilterSection, tafcSection } from './schema-schemas.ts'
import { fileSection, shellSection } from './schema-shell.ts'

const filtersSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Filters the output of commands. Sanitising and redaction always run.'),
    filters_path: z
      .union([z.literal(''), hostPath()])
      .register(keyKinds, { kind: 'host_path', expected: 'a path' })
      .default('')
      .describe('File with your own rules; empty: `filters.toml` beside the configuration file.'),
    security: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe('Tells the model which kind of secret was redacted. Redaction always happens.'),
        extra_patterns: z
          .array(regex())
          .default([])
          .describe(
            'Regular expressions for further secrets, at most 512 characters each; the first group, if any, is the secret.',
          ),
      })
      .prefault({})
      .describe('Redaction of secrets in output.'),
  })
  .prefault({})
  .describe('Output filters.')

const overflowSection = z
  .strictObject({
    threshold: integer(1)
      .default(50_000)
      .describe('Characters above which output is stored in full and shown as head and tail.'),
    retention_days: integer(1, 3_650).default(7).describe('Days to keep stored output.'),
    max_overflow_bytes: integer(0)
      .default(10_485_760)
      .describe(
        'Maximum bytes stored of one output; of a longer one head and tail are stored. 0: no limit.',
      ),
  })
  .prefault({})
  .describe('Output that is too long for the model.')

const resultCacheSection = z
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

const hostGlob = () =>
  textLike(/^[A-Za-z0-9.*-]{1,253}$/u, 'a host name, in which `*` stands for any text')

const scrapeSection = z
  .strictObject({
    timeout: duration(0.1, 600)
      .prefault(15)
      .describe(
        'Time for the whole exchange: look-ups, redirects, the body, and reading the page. Each try has it anew.',
      ),
    max_body_bytes: integer(1, 1_073_741_824)
      .default(1_048_576)
      .describe('The largest body, as it is sent and decompressed; what is larger is refused.'),
    allowed_domains: z
      .array(hostGlob())
      .default([])
      .describe('Hosts that may be fetched, redirects included; empty: all public ones.'),
    denied_domains: z.array(hostGlob()).default([]).describe('Hosts that may not.'),
    allowed_ports: z
      .array(integer(1, 65_535))
      .default([443])
      .describe('Ports that may be used; 443 always may.'),
  })
  .prefault({})
  .describe('The web tools, `fetch` and `web_scrape`.')

const retrySection = z
  .strictObject({
    max_attempts: integer(0, 5)
      .default(2)
      .describe('How many more times a failed call of a web tool is tried; 0: never.'),
    base_ms: integer(1, 60_000)
      .default(500)
      .describe('The longest wait before the second try; it doubles with each further one.'),
    max_ms: integer(1, 600_000).default(5_000).describe('The longest wait before any try.'),
    budget_secs: duration(1, 600)
      .prefault(30)
      .describe('When no more is tried, from the beginning of the first try.'),
  })
  .prefault({})
  .describe(
    'What the system does about rate limits, servers and networks that fail, and time-outs.',
  )

const diagnosticsSection = z
  .strictObject({
    max_diagnostics: integer(1, 10_000)
      .default(50)
      .describe('How many entries a call returns at most, and where it names no number.'),
  })
  .prefault({})
  .describe('The `diagnostics` tool.')

export const toolsSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('false: the model is offered no tools and runs none.'),
    summarize_output: z
      .boolean()
      .default(false)
      .describe('Lets the model sum up output over the threshold, instead of cutting it.'),
    max_tool_calls_per_session: integer(1)
      .optional()
      .describe('Tool calls a session may make until `/clear`; unset: no limit.'),
    permissions_store: z
      .enum(['auto', 'file', 'postgres'])
      .default('auto')
      .describe(
        'Where the workers’ rules are kept: a file of the data directory, or a row of the database. auto: the row where `DATABASE_URL` and `REDIS_URL` are set, else the file.',
      ),
    shadow_permissions: hostPath()
      .optional()
      .describe(
        'A file of rules by which every call is also judged. What they would say otherwise is recorded and has no effect.',
      ),
    shell: shellSection,
    file: fileSection,
    permissions: permissionsSection,
    filters: filtersSection,
    overflow: overflowSection,
    result_cache: resultCacheSection,
    dependencies: dependenciesSection,
    tafc: tafcSection,
    schema_filter: schemaFilterSection,
    policy: policySection,
    authorization: authorizationSection,
    anomaly: anomalySection,
    adversarial_policy: adversarialSection,
    scrape: scrapeSection,
    retry: retrySection,
    diagnostics: diagnosticsSection,
  })
  .prefault({})
  .describe('What the model may do.')
