import { useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { PRESETS } from '../../../src/domain/policy/presets.ts';
import { PRESET_NAMES } from '../../../src/domain/policy/ways.ts';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { type Alerting, wayWords } from '../alerting/choice.ts';
import { sentRules } from '../alerting/chosen.ts';
import { type Rules, rulesOf, rulesWords, type SentRules, stepsOf } from '../alerting/own-way.ts';
import { OwnWayFields } from '../alerting/own-way-fields.tsx';
import { OWN_WAYS_ANCHOR } from '../alerting/own-ways-link.tsx';
import { ListedRow } from './listed-row.tsx';
import { useUndo } from './use-undo.ts';

const t = m.alerts.ownWays;
const listed = m.alerts.listed;

type OwnWay = Alerting['policies'][number];
type Uses = Answer<'alertingUses'>['policies'];

/** A policy as its form sends it. */
interface Input {
  readonly name: string;
  readonly rules: SentRules;
}

/** What the buttons of the section do. */
export interface OwnWayActs {
  readonly add: (input: Input) => Promise<unknown>;
  readonly change: (before: OwnWay, input: Input) => Promise<unknown>;
  /** Deletes one that nothing uses. */
  readonly remove: (way: OwnWay) => void;
  /** Deletes one that is used, after somebody has said so. */
  readonly removeUsed: (way: OwnWay) => Promise<unknown>;
}

/** The policies of the project, in sentences. Each change is saved at once. */
export function OwnWaysSection() {
  const project = useProject();
  const place = { project: project.uuid };
  const { data: alerting } = useSuspenseQuery(query.alerting(place));
  const { data: uses } = useSuspenseQuery(query.alertingUses(place));
  const { offer, isBusy } = useUndo();
  const remove = useAct(
    ({ uuid: policy }: OwnWay) => act.deletePolicy({ ...place, policy }),
    (_answer, { name, rules }) =>
      offer(listed.removed(name), () => act.createPolicy({ ...place, name, ...sentRules(rules) })),
  );
  const acts: OwnWayActs = {
    add: async ({ name, rules }) => {
      const { uuid: policy } = await act.createPolicy({ ...place, name, ...rules });
      offer(listed.added(name), () => act.deletePolicy({ ...place, policy }));
    },
    change: async ({ uuid: policy, ...before }, { name, rules }) => {
      await act.editPolicy({ ...place, policy, name, ...rules });
      const old = { name: before.name, ...sentRules(before.rules) };
      offer(listed.saved(name), () => act.editPolicy({ ...place, policy, ...old }));
    },
    remove: (way) => void remove.run(way),
    removeUsed: ({ uuid: policy }) => act.deletePolicy({ ...place, policy, force: true }),
  };
  return (
    <OwnWaysRows
      alerting={alerting}
      uses={uses.policies}
      isBusy={remove.isBusy || isBusy}
      acts={mayWrite(project) ? acts : null}
    />
  );
}

type Asked = { readonly for: 'new' } | { readonly for: 'edit' | 'remove'; readonly way: OwnWay };

export function OwnWaysRows({
  alerting,
  uses,
  isBusy = false,
  acts,
}: {
  readonly alerting: Alerting;
  readonly uses: Uses;
  readonly isBusy?: boolean;
  /** Null: nothing may be changed. */
  readonly acts: OwnWayActs | null;
}) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const { policies } = alerting;
  const usesOf = (way: OwnWay) => uses.find(({ uuid }) => uuid === way.uuid);
  const usersOf = (way: OwnWay) => usersWords(usesOf(way));
  const isUnknown = (way: OwnWay) => usesOf(way)?.isUnknown === true;
  return (
    <Anchor>
      <Section title={t.title} lead={t.lead}>
        {policies.length === 0 ? (
          <p className="text-13 text-ink-3">{t.none}</p>
        ) : (
          <ul aria-label={t.title} className="divide-y divide-line rounded-card border border-line">
            {policies.map((way) => (
              <ListedRow
                key={way.uuid}
                name={way.name}
                isBusy={isBusy}
                users={usersOf(way)}
                onEdit={acts && (isUnknown(way) ? null : () => setAsked({ for: 'edit', way }))}
                onRemove={
                  acts &&
                  (() => (usersOf(way).length === 0 ? acts.remove(way) : setAsked({ for: 'remove', way })))
                }
              >
                {(isUnknown(way) ? [t.unknown] : rulesWords(way.rules, alerting)).map((sentence) => (
                  <p key={sentence}>{sentence}.</p>
                ))}
              </ListedRow>
            ))}
          </ul>
        )}
        {acts !== null && <AddButton label={t.new} onAdd={() => setAsked({ for: 'new' })} />}
        {asked?.for === 'new' && acts !== null && (
          <OwnWayDialog alerting={alerting} before={null} save={acts.add} onClose={close} />
        )}
        {asked?.for === 'edit' && acts !== null && (
          <OwnWayDialog
            alerting={alerting}
            before={asked.way}
            save={(input) => acts.change(asked.way, input)}
            onClose={close}
          />
        )}
        {asked?.for === 'remove' && acts !== null && (
          <ConfirmDialog
            title={listed.removeTitle(asked.way.name)}
            action={listed.remove}
            run={() => acts.removeUsed(asked.way)}
            onClose={close}
          >
            {t.removeLead(usersOf(asked.way).join(', '))}
          </ConfirmDialog>
        )}
      </Section>
    </Anchor>
  );
}

/** Links from the choice lead here. */
function Anchor({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  // The browser has looked for it before it was there.
  useEffect(() => {
    if (location.hash === `#${OWN_WAYS_ANCHOR}`) place.current?.scrollIntoView();
  }, []);
  return (
    <div ref={place} id={OWN_WAYS_ANCHOR} className="scroll-mt-4">
      {children}
    </div>
  );
}

function usersWords(uses: Uses[number] | undefined): string[] {
  if (uses === undefined) return [];
  return [
    ...(uses.isOfProject ? [t.project] : []),
    ...uses.tags.map(t.tag),
    ...(uses.checks > 0 ? [t.checks(uses.checks)] : []),
  ];
}

function OwnWayDialog({
  alerting,
  before,
  save,
  onClose,
}: {
  readonly alerting: Alerting;
  /** As it is now. Null for a new one. */
  readonly before: OwnWay | null;
  readonly save: (input: Input) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [begun, setBegun] = useState<{ readonly with: string; readonly rules: Rules }>({
    ...{ with: '', rules: before?.rules ?? {} },
  });
  const [steps, setSteps] = useState(() => stepsOf(begun.rules, alerting.channels));
  const begin = (name: string) => {
    const rules = beginnings(alerting).find((one) => one.name === name)?.rules ?? {};
    setBegun({ with: name, rules });
    setSteps(stepsOf(rules, alerting.channels));
  };
  return (
    <FormDialog
      title={before === null ? t.new : t.editTitle(before.name)}
      action={before === null ? listed.add : listed.save}
      isIncomplete={steps.some(({ tell }) => tell.length === 0)}
      send={({ name = '', ...fields }) => save({ name, rules: rulesOf(fields, steps) })}
      onClose={onClose}
      className="grid gap-3.5"
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        name="name"
        defaultValue={before?.name}
        maxLength={TEXT_LIMITS.policyName}
        autoComplete="off"
        required
      />
      {before === null && (
        <Select
          label={t.begin}
          value={begun.with}
          onChange={({ target }) => begin(target.value)}
          options={[
            ['', m.alerts.atOnce],
            ...beginnings(alerting).map(({ name, words }): [string, string] => [name, words]),
          ]}
        />
      )}
      <OwnWayFields
        key={begun.with}
        rules={begun.rules}
        alerting={alerting}
        steps={steps}
        onSteps={setSteps}
      />
    </FormDialog>
  );
}

/** With what a new one can begin: known ways, and what the project has. */
function beginnings(alerting: Alerting): { name: string; words: string; rules: Rules }[] {
  const own = alerting.policies.map(({ name, rules }) => ({ name, words: m.alerts.own(name), rules }));
  const known = PRESET_NAMES.filter((preset) => !own.some(({ name }) => name === preset)).map((preset) => ({
    ...{ name: preset, words: wayWords({ preset, rules: PRESETS[preset] }, alerting) },
    rules: PRESETS[preset],
  }));
  return [...known, ...own];
}
