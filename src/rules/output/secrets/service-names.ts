import { isGitHash, isUuid } from './randomness.ts'

/**
 * Services whose keys are plain hashes, UUIDs or short words, which only their name identifies: such a value is a key if it is
 * assigned to a name with both the service and a word for a secret.
 */
const services: readonly (readonly [name: RegExp, isKey: (value: string) => boolean])[] = [
  [
    named(
      'heroku|snyk|postmark|splunk|hec|opsgenie|scaleway|scw|railway|sendbird|squarespace|kucoin|hubspot|messagebird|bitwarden|bws|vault|approle|nomad|consul|npm|linear|codacy|deepgram|fal|lokalise|pusher|nexmo|azure|arm|logdna|mezmo|loggly|coveralls|bugsnag|appcenter|temporal|stability|novu|courier|customerio|imagekit|flagsmith|rollout|optimizely|amplitude|pubnub|onesignal|elevenlabs|jumpcloud|duo',
    ),
    isUuid,
  ],
  [
    named(
      'github|gitlab|gitea|gogs|forgejo|codeberg|datadog|dd|cloudflare|cf|sourcegraph|wandb|weights|meraki|sonar|sonarqube|launchdarkly|gitter|trello|zendesk|atlassian|jira|confluence|bitbucket|drone|travis|circle|circleci|buildkite|jenkins|codecov|coveralls|netlify|sentry|rollbar|bugsnag|mixpanel|segment|intercom|twitter|cohere|dropbox|asana|fastly|linode|vultr|hetzner|ovh|okta|auth0|netbox|nexus|harbor|grafana|readthedocs|npm|mattermost|zulip|sendbird|algolia|newrelic|new_relic|pagerduty|digitalocean|pulumi|civo|dnsimple|namecheap|gandi|godaddy|porkbun',
    ),
    isGitHash,
  ],
  [
    named(
      'pagerduty|airtable|finnhub|finicity|looker|linkedin|confluent|kucoin|travis|etsy|plaid|dropbox|sumo|sumologic|twitch|messagebird|mattermost|alibaba|aliyun|openweather|openweathermap|newsapi|giphy|tmdb|omdb|ipinfo|ipstack|okta|vonage|nexmo|vercel|sidekiq|contribsys',
    ),
    isShortKey,
  ],
]

/** Whether a value has the form of a key of the service in `name`, which is in lower case. */
export function isServiceKey(name: string, value: string): boolean {
  return services.some(([service, isKey]) => isKey(value) && service.test(name))
}

function named(names: string): RegExp {
  return new RegExp(
    `(?:^|[^a-z])(?:${names})(?:[^a-z]|$|api|key|token|secret|access|auth|client|app|personal|pass)`,
  )
}

function isShortKey(value: string): boolean {
  return /^[A-Za-z0-9:+_-]{8,40}$/.test(value) && /[0-9]/.test(value) && /[A-Za-z]/.test(value)
}
