import type { ContextSample } from './context-samples.ts'
import { alnum, hex, lowerDigits, RandomText, word } from './random-text.ts'

/** Formats of keys that have no distinctive form. */
const shapes = {
  uuid: (random: RandomText) => random.uuid(),
  'hex 32': (random: RandomText) => random.of(hex, 32),
  'hex 40': (random: RandomText) => random.of(hex, 40),
  'hex 64': (random: RandomText) => random.of(hex, 64),
  'lower 16': (random: RandomText) => random.of(lowerDigits, 16),
  'lower 32': (random: RandomText) => random.of(lowerDigits, 32),
  'mixed 24': (random: RandomText) => random.of(alnum, 24),
  'mixed 40': (random: RandomText) => random.of(alnum, 40),
  'word 43': (random: RandomText) => random.of(word, 43),
} as const

const services: Readonly<Record<keyof typeof shapes, string>> = {
  uuid: 'heroku snyk postmark splunk opsgenie scaleway railway sendbird squarespace hubspot kucoin bitwarden',
  'hex 32': 'adobe datadog facebook finicity rollbar mixpanel openweather sparkpost pagertree',
  'hex 40': 'sentry cloudflare meraki wandb codacy gitea jenkins',
  'hex 64': 'discord freshbooks linode hetzner',
  'lower 16': 'confluent dropbox linkedin',
  'lower 32': 'algolia bittrex codecov droneci flickr adafruit asana zendesk',
  'mixed 24': 'etsy plaid looker mattermost messagebird travis',
  'mixed 40': 'cohere deepgram assemblyai vultr rapidapi',
  'word 43': 'contentful fastly intercom launchdarkly netlify okta newrelic nytimes auth0',
}

/** Notations in which programs and files assign a value to a name. */
const ways: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `${name}_api_key = ${value}\n`,
  (name, value) => `${name.toUpperCase()}_TOKEN="${value}"\n`,
  (name, value) => `"${name}Token": "${value}",\n`,
  (name, value) => `${name}-access-token: '${value}'\n`,
  (name, value) => `var ${name}Secret string = "${value}"\n`,
  (name, value) => `<${name}ApiKey>\n  ${value}\n</${name}ApiKey>\n`,
  (name, value) => `System.setProperty("${name.toUpperCase()}_API_KEY", "${value}");\n`,
  (name, value) => `$${name}_auth_token .= '${value}';\n`,
  (name, value) => `?${name}_access_key=${value}&page=1\n`,
  (name, value) => `export ${name.toUpperCase()}_CLIENT_SECRET=${value}\n`,
]

/** Keys of services that only the name they are assigned to identifies. */
export function namedSamples(seed: number): readonly ContextSample[] {
  const random = new RandomText(seed)
  const all = Object.entries(shapes).flatMap(([shape, make]) => {
    const names = services[shape as keyof typeof shapes].split(' ')
    return names.map((name) => ({ name, secret: make(random) }))
  })
  return all.flatMap(({ name, secret }, index) =>
    [0, 3, 7].map((step) => ({
      family: 'keys of named services',
      name: `${name}, way ${(index + step) % ways.length}`,
      text: ways[(index + step) % ways.length]?.(name, secret) ?? '',
      secret,
    })),
  )
}
