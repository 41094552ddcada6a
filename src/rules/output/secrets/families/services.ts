import { isMixedCase } from '../randomness.ts'
import { byPattern, type SecretRule } from '../secret-rule.ts'
import { alnum, hex, shortToken, token, tokenEnd, tokenStart, withPrefix, word } from '../token.ts'

/** Databases, office tools, maps, identity and other services. */
export const serviceRules: readonly SecretRule[] = [
  withPrefix('countersign-token', 'countersign_', `[A-Za-z0-9_-]{43}${tokenEnd}`),
  token('planetscale-token', ['pscale_tkn_', 'pscale_oauth_', 'pscale_pw_'], '[A-Za-z0-9_=.-]', 32),
  token('mongodb-token', ['mdb_sa_sk_', 'mdb_sa_id_'], word, 24),
  withPrefix('clickhouse-key', '4b1d', `${alnum}{38}${tokenEnd}`, {
    accept: (value) => isMixedCase(value),
  }),
  token('neon-key', 'napi_', alnum, 40),
  token('xata-key', 'xau_', alnum, 32),
  token('notion-token', 'ntn_', alnum, 40),
  shortToken('notion-token', 'secret_', alnum, 43),
  token('figma-token', 'figd_', word, 36),
  withPrefix('airtable-token', 'pat', `${alnum}{14}[.]${hex}{64}`),
  withPrefix(
    'asana-token',
    ['0/', '1/', '2/'].map((first) => `${first}1`),
    '[0-9]{14,18}:[a-f0-9]{32}',
  ),
  token('contentful-token', ['CFPAT-', 'CFORG-'], word, 40),
  withPrefix(
    'hubspot-token',
    ['pat-na1-', 'pat-na2-', 'pat-na3-', 'pat-eu1-', 'pat-ap1-'],
    '[a-fA-F0-9-]{36}',
  ),
  shortToken('klaviyo-key', 'pk_', hex, 34),
  withPrefix('dropbox-token', ['sl.u.', 'sl.'], `${word}{100,2048}`),
  withPrefix('mapbox-token', 'sk.', `eyJ${word}{40,255}[.]${word}{20,64}`),
  byPattern('maxmind-key', ['_mmk'], `${tokenStart}${alnum}{6}_${alnum}{29}_mmk`, { back: 36 }),
  withPrefix(
    'authress-key',
    ['sc_', 'ext_', 'scauth_', 'authress_'],
    '[a-z0-9]{5,30}[.][a-z0-9]{4,6}[.]acc[_-][a-z0-9-]{10,32}[.][A-Za-z0-9+/_=-]{30,120}',
  ),
  withPrefix('settlemint-token', ['sm_aat_', 'sm_pat_', 'sm_sat_'], `${alnum}{16,64}`),
  token('adobe-secret', 'p8e-', alnum, 32),
  byPattern('okta-token', ['SSWS '], `SSWS (${word}{40,64})`),
  token('stytch-secret', ['secret-live-', 'secret-test-'], '[A-Za-z0-9_=-]', 30),
  withPrefix('salesforce-token', '00D', '[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,120}'),
  token('trello-token', 'ATTA', hex, 60),
  token('cal-key', 'cal_live_', hex, 32),
  token('lichess-token', ['lip_', 'lio_'], alnum, 20),
  token('adafruit-key', 'aio_', alnum, 28),
  token('deno-token', ['ddp_', 'ddo_', 'ddw_'], alnum, 36),
  token('inngest-key', ['signkey-prod-', 'signkey-test-', 'signkey-branch-'], hex, 32),
  token('trigger-key', ['tr_prod_', 'tr_dev_', 'tr_stg_'], alnum, 20),
  token('apify-token', 'apify_api_', alnum, 30),
  token('ory-token', ['ory_pat_', 'ory_st_', 'ory_at_', 'ory_rt_', 'ory_ac_'], word, 30),
  token('svix-key', 'testsk_', '[A-Za-z0-9+/=.]', 30),
  token('endorlabs-key', 'endr+', word, 16),
  token('zuplo-key', 'zpka_', '[A-Za-z0-9_]', 30),
]
