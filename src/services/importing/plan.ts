import { type PlannedAccount, planAccounts } from './planning/accounts.ts';
import { type AllChecks, surveyChecks } from './planning/all-checks.ts';
import type { KeptEntry, Planning } from './planning/planning.ts';
import { type PlannedProject, planProjects } from './planning/projects.ts';

/** What an import is going to do. */
export interface Plan {
  readonly accounts: readonly PlannedAccount[];
  readonly projects: readonly PlannedProject[];
  /** What is known of checks as a whole. Each is planned again when it is written. */
  readonly checks: AllChecks;
  readonly kept: readonly KeptEntry[];
  /** Why it cannot be done. */
  readonly reasons: readonly string[];
}

/** Compares the source with what is here. Writes nothing. */
export async function planImport(found: Omit<Planning, 'kept' | 'reasons'>): Promise<Plan> {
  const [kept, reasons]: [KeptEntry[], string[]] = [[], []];
  const planning: Planning = { ...found, kept, reasons };
  const accounts = await planAccounts(planning);
  const projects = await planProjects(planning);
  return { accounts, projects, checks: await surveyChecks(planning, projects), kept, reasons };
}
