/** Policies that every project has by name: the first use makes one of them a policy of the project. */
export const PRESETS = {
  twice: { bad_runs: 2 },
  patient: { wait: 900 },
  // Its calendar has to be made first: only people know their hours.
  'working-hours': { hours: 'working-hours', always_tags: 'important' },
  'keep-reminding': { again: 1800, again_most: 48 },
  // Only people know whom to tell next.
  // biome-ignore lint/suspicious/noThenProperty: it is the name in requests and files, and its value is no function.
  'then-next': { then: [{ after: 900, tell: [] as string[] }] },
};

export type PresetName = keyof typeof PRESETS;

/** The name of the choice to tell every outage at once. It is no policy, and nothing is stored for it. */
export const AT_ONCE_NAME = 'at-once';

/** The name of the choice to tell somebody else after a while. It has to be made with steps. */
export const THEN_NEXT_NAME = 'then-next' satisfies PresetName;

/** What chose the policy of a check. */
export type ChosenBy = 'check' | `tag ${string}` | 'project' | 'default';

/** The name of the policy that counts for a check, and why it does. */
export interface Choice {
  readonly name: string;
  readonly because: ChosenBy;
}

/** Its own policy counts, else that of the first tag in the list of the project that it has, else that of the project. */
export function chosenPolicy(
  check: { readonly policy: string; readonly tags: readonly string[] },
  listed: readonly { readonly tag: string; readonly policy: string }[],
  ofProject: string | null,
): Choice {
  if (check.policy !== '') return { name: check.policy, because: 'check' };
  const first = listed.find(({ tag, policy }) => policy !== '' && check.tags.includes(tag));
  if (first !== undefined) return { name: first.policy, because: `tag ${first.tag}` };
  return ofProject === null
    ? { name: AT_ONCE_NAME, because: 'default' }
    : { name: ofProject, because: 'project' };
}
