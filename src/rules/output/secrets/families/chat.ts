import { hasDigit, isMadeUp, isMixedCase } from '../randomness.ts'
import { byPattern, type SecretRule } from '../secret-rule.ts'
import { alnum, hex, shortToken, token, tokenEnd, tokenStart, withPrefix, word } from '../token.ts'

/** Chat, bots, mail and telephony. */
export const chatRules: readonly SecretRule[] = [
  byPattern(
    'slack-token',
    [
      'xoxa-',
      'xoxb-',
      'xoxe-',
      'xoxe.',
      'xoxo-',
      'xoxp-',
      'xoxr-',
      'xoxs-',
      'xoxc-',
      'xoxd-',
      'xapp-',
      'xwfp-',
    ],
    String.raw`(?:xox[a-e o-s](?:\.xox[bp])?|xapp|xwfp)-[A-Za-z0-9%-]{10,255}`.replace(' ', ''),
    { accept: (value) => !isMadeUp(value) },
  ),
  byPattern(
    'slack-webhook',
    ['hooks.slack.com'],
    String.raw`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,255})`,
    { accept: (value) => !isMadeUp(value) },
  ),
  byPattern('telegram-token', telegramKeywords(), `(?<![0-9])[0-9]{6,12}:A${word}{34}${tokenEnd}`, {
    back: 'digits',
    accept: isMixedCase,
  }),
  byPattern('telegram-token', ['/bot'], `/bot([0-9]{6,12}:${word}{35})${tokenEnd}`, {
    accept: isMixedCase,
  }),
  byPattern('discord-token', discordKeywords(), discordToken(), { accept: isMixedCase }),
  byPattern(
    'discord-webhook',
    ['discord.com/api/', 'discordapp.com/api/'],
    String.raw`discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{40,128})`,
  ),
  byPattern(
    'teams-webhook',
    ['webhook.office.com/'],
    String.raw`webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,300})`,
  ),
  byPattern(
    'google-chat-webhook',
    ['chat.googleapis.com/'],
    String.raw`chat\.googleapis\.com/v1/spaces/[\w-]{5,40}/messages\?([\w&=%.-]{40,300})`,
  ),
  byPattern(
    'zapier-webhook',
    ['hooks.zapier.com/'],
    String.raw`hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[A-Za-z0-9]{5,20})`,
  ),
  withPrefix('sendgrid-key', 'SG.', `${word}{16,64}[.]${word}{16,128}`),
  twilioKeys(),
  shortToken('mailgun-key', 'key-', hex, 32),
  byPattern(
    'mailchimp-key',
    ['-us1', '-us2', '-us3', '-us4', '-us5', '-us6', '-us7', '-us8', '-us9'],
    `${tokenStart}${hex}{32}-us[0-9]{1,2}${tokenEnd}`,
    { back: 32 },
  ),
  withPrefix('brevo-key', ['xkeysib-', 'xsmtpsib-'], `${hex}{64}-${alnum}{16}`),
  withPrefix('resend-key', 're_', `${alnum}{6,12}_${alnum}{18,40}${tokenEnd}`, {
    accept: (value) => hasDigit(value) && !isMadeUp(value),
  }),
  withPrefix('mailersend-key', 'mlsn.', `${hex}{60,70}`),
  token('telnyx-key', 'KEY0', '[A-Za-z0-9_]', 40, 80),
  token('vk-token', 'vk1.a.', word, 80),
  token('frameio-token', 'fio-u-', '[A-Za-z0-9_=-]', 60),
]

/** `:A` and one more character, which follow a bot's number, as keywords need three characters. */
function telegramKeywords(): readonly string[] {
  return [...'abcdefghijklmnopqrstuvwxyz0123456789_-'].map((next) => `:a${next}`)
}

function discordToken(): string {
  return `${tokenStart}[MNO]${word}{2}[w-z0-5]${word}{19,24}[.]${word}{6}[.]${word}{27,40}${tokenEnd}`
}

/** The first three characters of a bot's number in base64, which its token begins with. */
function discordKeywords(): readonly string[] {
  const numbers = Array.from({ length: 90 }, (_, index) => `${index + 10}0`)
  return numbers.map((digits) => btoa(digits).slice(0, 3))
}

function twilioKeys(): SecretRule {
  const keywords = [...'0123456789abcdef'].map((digit) => `SK${digit}`)
  return byPattern('twilio-key', keywords, `${tokenStart}SK[0-9a-f]{32}${tokenEnd}`)
}
