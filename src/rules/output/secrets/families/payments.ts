import { isMadeUp } from '../randomness.ts'
import { byPattern, type SecretRule } from '../secret-rule.ts'
import { alnum, hex, shortToken, token, withPrefix, word } from '../token.ts'

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
