/** How messages to people speak of a provider, and what must never appear in them. */
export interface ProviderNames {
  readonly label: string
  readonly keyVariable: string
  readonly urlVariable: string
  /** The API key, cut out of whatever the provider says. */
  readonly secret: string | undefined
}
