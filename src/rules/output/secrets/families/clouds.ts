import { hasDigit, isMadeUp, isScrambled } from '../randomness.ts'
import { byPattern, type SecretRule } from '../secret-rule.ts'
import {
  alnum,
  base64,
  hex,
  shortToken,
  token,
  tokenEnd,
  tokenStart,
  withPrefix,
  word,
} from '../token.ts'

/** Cloud providers and hosting. */
export const cloudRules: readonly SecretRule[] = [
  withPrefix('aws-key-id', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], `[A-Z0-9]{16}${tokenEnd}`, {
    accept: (value) => !isMadeUp(value) && !value.endsWith('EXAMPLE'),
  }),
  token('aws-bedrock-key', 'ABSK', base64, 100),
  token('aws-bedrock-key', 'bedrock-api-key-', base64, 40, 4096),
  byPattern('aws-signature', ['x-amz-signature='], 'x-amz-signature=([a-f0-9]{64})', {
    flags: 'i',
  }),
  byPattern(
    'aws-session-token',
    ['x-amz-security-token='],
    'x-amz-security-token=([A-Za-z0-9%+/=_-]{40,4096})',
    { flags: 'i' },
  ),
  withPrefix('google-key', 'AIza', `${word}{35}`),
  withPrefix('google-token', 'ya29.', `${word}{20,1024}`),
  token('google-oauth-secret', 'GOCSPX-', word, 20, 64),
  withPrefix('google-refresh-token', '1//0', `${word}{30,255}`),
  byPattern('google-signature', ['x-goog-signature='], 'x-goog-signature=([a-f0-9]{64,1024})', {
    flags: 'i',
  }),
  byPattern('firebase-key', [':APA91b'], `${alnum}${word}{10}:APA91b${word}{60,255}`, { back: 11 }),
  byPattern(
    'azure-storage-key',
    ['accountkey=', 'sharedaccesskey='],
    '(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/%]{40,120}={0,2})',
    { flags: 'i' },
  ),
  byPattern('azure-signature', ['&sig=', '?sig='], '[&?]sig=([A-Za-z0-9%+/=_-]{40,128})'),
  ...azureClientSecrets(),
  byPattern('azure-devops-token', ['AZDO'], `${alnum}{76}AZDO${alnum}{4}`, { back: 76 }),
  shortToken('alibaba-key-id', 'LTAI', alnum, 12, 24),
  shortToken('tencent-key-id', 'AKID', alnum, 32),
  token('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], hex, 64),
  token('heroku-key', 'HRKU-', word, 30),
  token('fly-token', ['fo1_'], word, 40),
  withPrefix('fly-token', ['fm1a_', 'fm1r_', 'fm2_'], `${base64}{80,4096}={0,3}`),
  token('render-key', 'rnd_', alnum, 28),
  token('netlify-token', ['nfp_', 'nfc_', 'nfo_', 'nfb_', 'nfu_'], word, 30),
  token('vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], alnum, 24),
  token('vercel-blob-token', 'vercel_blob_rw_', word, 30),
  withPrefix('cloudflare-origin-key', 'v1.0-', `${hex}{24}-${hex}{100,200}`),
  token('cloudflare-token', ['cfut_', 'cfat_', 'cfk_'], word, 36),
  token('supabase-key', ['sbp_', 'sb_secret_'], word, 24),
  token('scalingo-token', 'tk-us-', word, 40),
  withPrefix('yandex-token', 't1.', `${word}{8,512}={0,2}[.]${word}{80,90}={0,2}`),
  token('yandex-key', 'AQVN', word, 35),
  shortToken('yandex-key', 'YCA', word, 36, 40),
  token('pulumi-token', 'pul-', hex, 40),
  byPattern('terraform-token', ['.atlasv1.'], `${alnum}{14}[.]atlasv1[.]${word}{60,80}`, {
    back: 14,
  }),
  withPrefix('vault-token', ['hvs.', 'hvb.', 'hvr.'], `${word}{24,400}`),
  byPattern('vault-token', vaultKeywords(), `${tokenStart}s[.]${alnum}{24}${tokenEnd}`, {
    accept: (value) => hasDigit(value) && isScrambled(value),
  }),
  withPrefix(
    'doppler-token',
    ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    '[A-Za-z0-9._-]{40,80}',
  ),
  withPrefix('infisical-token', 'st.', `${hex}{24}[.]${hex}{32,64}[.]${hex}{32,64}`),
  token(
    'tailscale-key',
    ['tskey-auth-', 'tskey-api-', 'tskey-client-', 'tskey-scim-', 'tskey-webhook-', 'tskey-'],
    word,
    16,
  ),
  withPrefix('defined-networking-key', 'dnkey-', `${word}{26}-${word}{52}`),
  withPrefix('onepassword-token', 'ops_eyJ', `${base64}{100,4096}={0,3}`),
  withPrefix(
    'onepassword-key',
    'A3-',
    '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}',
  ),
  byPattern('openshift-token', ['sha256~'], `${tokenStart}sha256~${word}{43}${tokenEnd}`),
  token('databricks-token', 'dapi', hex, 32, 34),
  token('infracost-key', 'ico-', alnum, 32),
  withPrefix('akamai-token', ['akab-'], `[a-z0-9]{16}-[a-z0-9]{16}`),
]

/** Three characters, a digit, `Q~` and the rest: the constant part is in the middle. */
function azureClientSecrets(): readonly SecretRule[] {
  const keywords = Array.from({ length: 10 }, (_, digit) => `${digit}Q~`)
  return [
    byPattern(
      'azure-client-secret',
      keywords,
      `${tokenStart}[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}`,
      { back: 3 },
    ),
  ]
}

/** Tokens of Vault before 1.10: `s.` and one more character, as keywords need three characters. */
function vaultKeywords(): readonly string[] {
  return [...'abcdefghijklmnopqrstuvwxyz0123456789'].map((next) => `s.${next}`)
}
