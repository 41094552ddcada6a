import type { ErrorCode } from './error-codes.ts'

/** Codes of conditions that PostgreSQL reports, by SQLSTATE (its appendix A); a class stands for those not listed. */
export const postgresStates: Readonly<Record<string, ErrorCode>> = {
  '08': 'DATABASE_FAILED',
  '28000': 'DATABASE_LOGIN',
  '28P01': 'DATABASE_LOGIN',
  '3D000': 'DATABASE_MISSING',
  '42501': 'DATABASE_RIGHTS',
  '42703': 'DATABASE_OUTDATED',
  '42P01': 'DATABASE_OUTDATED',
  '53': 'DATABASE_FAILED',
  '57': 'DATABASE_FAILED',
  '57P01': 'DATABASE_UNREACHABLE',
  '57P03': 'DATABASE_UNREACHABLE',
}
