import type { Way } from '../../../src/domain/policy/ways.ts';
import type { Hours } from './hours.ts';

/** When to tell, as somebody chooses it. */
export type Choice =
  /** A policy by its name. Empty: that of the tag, or of the project. */
  | { readonly is: 'named'; readonly name: string }
  /** A way that everybody knows, perhaps with other minutes. The project may not have it yet. */
  | {
      readonly is: 'way';
      readonly way: Way;
      /** Working hours, if nobody has told them before. */
      readonly hours?: Hours;
    };

/** Steps, as answers have them. */
interface WithSteps {
  readonly then?: readonly { readonly after: number; readonly tell: readonly string[] }[];
}

/** Rules, as requests take them. */
export type Sent<Rules extends WithSteps> = Omit<Rules, 'then'> & {
  then?: { after: number; tell: string[] }[];
};

export function sentRules<Rules extends WithSteps>({ then, ...others }: Rules): Sent<Rules> {
  const steps = then?.map(({ after, tell }) => ({ after, tell: [...tell] }));
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
  return { ...others, ...(steps && { then: steps }) };
}

/** What the server is asked about a choice before it is saved. `policy` is the name that the check has now. */
export function askedChoice(choice: Choice, policy: string) {
  if (choice.is === 'named') return { policy: choice.name };
  const { way, hours } = choice;
  return { policy, rules: sentRules(way.rules), ...(hours && { hours }) };
}
