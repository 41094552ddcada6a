import { isMadeUp } from '../randomness.ts'
import { byPattern, type SecretRule } from '../secret-rule.ts'
import { alnum, hex, shortToken, token, withPrefix, word } from '../token.ts'

/** Code hosts, reviews and continuous integration. */
export const codeHostRules: readonly SecretRule[] = [
  anywhere(
    'github-token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    'gh[pousr]_[A-Za-z0-9]{20,255}',
  ),
  anywhere('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{22,255}'),
  anywhere('gitlab-token', ['glpat-'], 'glpat-[A-Za-z0-9_.-]{20,300}'),
  anywhere(
    'gitlab-token',
    [
      'glptt-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glft-',
      'glimt-',
      'glagent-',
      'gloas-',
      'glsoat-',
      'glffct-',
      'glwt-',
    ],
    'gl(?:ptt|dt|rtr?|cbt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.-]{20,300}',
  ),
  token('gitlab-token', 'GR1348941', word, 20),
  byPattern('gitlab-session', ['_gitlab_session='], '_gitlab_session=([A-Za-z0-9]{32,64})'),
  token('atlassian-token', ['ATATT3', 'ATCTT3', 'ATBB'], '[A-Za-z0-9_=-]', 28),
  token('sourcegraph-token', ['sgp_', 'slk_'], '[A-Za-z0-9_]', 40),
  token('sonar-token', ['squ_', 'sqp_', 'sqa_'], alnum, 40),
  token('buildkite-token', ['bkua_', 'bkaj_', 'bkct_'], alnum, 36),
  token('circleci-token', ['CCIPAT_', 'CCIPRJ_'], word, 40),
  withPrefix('harness-token', ['pat.', 'sat.'], `${word}{22}[.]${alnum}{24}[.]${alnum}{20}`),
  shortToken('octopus-key', 'API-', '[A-Z0-9]', 25, 40),
  token('postman-key', 'PMAK-', '[a-fA-F0-9-]', 58),
  token('prefect-key', ['pnu_', 'pnb_'], alnum, 36),
  token('snyk-token', ['snyk_uat.', 'snyk_sat.'], '[A-Za-z0-9._-]', 20),
  token('linear-key', ['lin_api_', 'lin_oauth_'], alnum, 32),
  token('readme-key', 'rdme_', alnum, 60),
  token('gitpod-token', 'gitpod_pat_', word, 30),
  token('intra42-secret', ['s-s4t2ud-', 's-s4t2af-'], hex, 64),
  token('depot-token', ['depot_org_', 'depot_project_'], word, 30),
]

/** A rule for a form so distinctive that no word boundary is required. */
function anywhere(kind: string, keywords: readonly string[], source: string): SecretRule {
  return byPattern(kind, keywords, source, { accept: (value) => !isMadeUp(value) })
}

/** Payments, shops and finance. */
export const paymentRules: readonly SecretRule[] = [
  byPattern(
    'stripe-key',
    ['sk_live_', 'sk_test_', 'sk_prod_', 'sk_org_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    `[rs]k_(?:(?:org_)?(?:live|test|prod))_[A-Za-z0-9_]{16,255}`,
    { accept: (value) => !isMadeUp(value) },
  ),
  token('stripe-webhook-secret', 'whsec_', '[A-Za-z0-9+/=]', 24),
  token('square-token', ['sq0atp-', 'sq0csp-'], word, 22),
  shortToken('square-token', 'EAAA', word, 56, 64),
  token(
    'facebook-token',
    [
      'EAAM',
      'EAAC',
      'EAAG',
      'EAAB',
      'EAAJ',
      'EAAD',
      'EAAE',
      'EAAF',
      'EAAH',
      'EAAI',
      'EAAK',
      'EAAL',
    ],
    alnum,
    80,
  ),
  withPrefix(
    'braintree-token',
    ['access_token$production$', 'access_token$sandbox$'],
    `[a-z0-9]{16}[$]${hex}{32}`,
  ),
  token(
    'shopify-token',
    ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_', 'shpit_', 'shptka_'],
    hex,
    32,
  ),
  token('razorpay-key', ['rzp_live_', 'rzp_test_'], alnum, 14),
  withPrefix(
    'plaid-token',
    ['access-sandbox-', 'access-development-', 'access-production-'],
    '[a-f0-9-]{36}',
  ),
  token('flutterwave-key', ['FLWSECK-', 'FLWSECK_TEST-', 'FLWSECK_TEST'], '[a-zA-Z0-9-]', 12),
  shortToken('mollie-key', ['live_', 'test_'], alnum, 30, 50),
  shortToken('gocardless-token', ['live_', 'sandbox_'], word, 40),
  token('duffel-token', ['duffel_test_', 'duffel_live_'], '[A-Za-z0-9_=-]', 40),
  token('easypost-key', ['EZAK', 'EZTK'], alnum, 54),
  token('shippo-token', ['shippo_live_', 'shippo_test_'], hex, 40),
  token('paddle-key', ['pdl_live_apikey_', 'pdl_sdbx_apikey_', 'pdl_ntfset_'], '[A-Za-z0-9_]', 26),
  token('polar-token', ['polar_oat_', 'polar_pat_', 'polar_at_u_', 'polar_whs_'], word, 30),
]
