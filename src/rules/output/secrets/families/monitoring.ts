import { byPattern, type SecretRule } from '../secret-rule.ts'
import { alnum, base64, hex, shortToken, token, withPrefix, word } from '../token.ts'

/** Monitoring, logs, feature flags and analytics. */
export const monitoringRules: readonly SecretRule[] = [
  token('newrelic-key', ['NRAK-', 'NRII-', 'NRJS-', 'NRRA-', 'NRIQ-'], word, 18),
  byPattern(
    'newrelic-key',
    ['nral"', "nral'", 'nral\n', 'nral '],
    `(?<![A-Za-z0-9])${hex}{36}NRAL`,
    { back: 36 },
  ),
  token('grafana-token', 'glsa_', '[A-Za-z0-9_]', 36),
  token('grafana-token', 'glc_', '[A-Za-z0-9+/=]', 32),
  token('grafana-key', 'eyJrIjoi', base64, 60),
  withPrefix(
    'dynatrace-token',
    ['dt0c01.', 'dt0s01.', 'dt0s02.', 'dt0s16.'],
    `${alnum}{8,24}[.]${alnum}{64}`,
  ),
  token('sentry-token', ['sntrys_', 'sntryu_', 'sntrya_', 'sntryi_'], '[A-Za-z0-9+/=_]', 40, 1024),
  token(
    'honeycomb-key',
    ['hcaik_', 'hcxik_', 'hcaic_', 'hcxlk_', 'hcxmk_', 'hcalk_', 'hcamk_'],
    alnum,
    26,
  ),
  token('elastic-key', 'essu_', '[A-Za-z0-9_=-]', 40),
  token('posthog-key', ['phx_', 'phs_'], alnum, 32),
  withPrefix(
    'launchdarkly-key',
    ['sdk-', 'mob-'],
    '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}',
  ),
  token('statsig-key', ['secret-'], alnum, 40),
  token('typeform-token', 'tfp_', '[A-Za-z0-9_.=-]', 40),
  token('logfire-token', ['pylf_v1_'], word, 30),
  token('axiom-token', ['xaat-', 'xapt-', 'xait-'], '[a-f0-9-]', 36),
  token('checkly-key', ['cu_', 'sv_'], hex, 32, 40),
  token('rootly-key', 'rootly_', hex, 60),
  shortToken('unleash-token', ['*:development.', '*:production.'], alnum, 40, 64),
  token('configcat-key', ['configcat-sdk-1/'], '[A-Za-z0-9/_-]', 40),
]
