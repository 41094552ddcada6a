import { type Kysely, sql } from 'kysely'

/** Results of scheduled verifications of the audit (AUD-02), for metrics and doctor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_verification (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      rows bigint not null,
      chains bigint not null,
      broken bigint not null,
      findings text not null
    )`.execute(db)
}
