import { useSuspenseQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useState } from 'react';
import { AT_ONCE_NAME } from '../../../src/domain/policy/presets.ts';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { tellWithUndo } from '../../ui/toasts.tsx';
import { type Alerting, faultOf, madeChoice, policyWords } from '../alerting/choice.ts';
import { ChoiceDialog } from '../alerting/choice-dialog.tsx';
import type { Choice } from '../alerting/chosen.ts';
import { aboveWords, WhenToTell } from '../alerting/when-to-tell.tsx';

const t = m.alerts.whenToTell;

type TagRule = Alerting['tags'][number];

/** The choices of the project and of tags. */
type Chosen = Pick<Alerting, 'policy' | 'tags'>;

/** When outages are told, for the project and for checks with a tag. Each change is saved at once. */
export function WhenToTellSection() {
  const project = useProject();
  const { data: alerting } = useSuspenseQuery(query.alerting({ project: project.uuid }));
  const { policy, tags } = alerting;
  const save = (chosen: Chosen) =>
    act.setAlerting({
      project: project.uuid,
      policy: chosen.policy,
      tags: chosen.tags.map(({ tag, policy: ofTag, asOne }) => ({ tag, policy: ofTag, as_one: asOne })),
    });
  const takeBack = useAct(save);
  const change = useAct(
    (chosen: Chosen, _before: Chosen, _words: string) => save(chosen),
    (_answer, _chosen, before, words) => tellWithUndo(words, () => void takeBack.run(before)),
  );
  const onChange = (part: Partial<Chosen>, words: string) =>
    void change.run({ policy, tags, ...part }, { policy, tags }, words);
  return (
    <WhenToTellRows
      project={project.uuid}
      alerting={alerting}
      isBusy={change.isBusy || takeBack.isBusy}
      onChange={mayWrite(project) ? onChange : null}
    />
  );
}

export function WhenToTellRows({
  project,
  alerting,
  isBusy = false,
  onChange,
}: Omit<Whose, 'whose'> & {
  readonly isBusy?: boolean;
  /** Gets what has changed, and says it in words. Null: nothing may be changed. */
  readonly onChange: ((part: Partial<Chosen>, words: string) => void) | null;
}) {
  const [isAdding, setIsAdding] = useState(false);
  const { policy, tags } = alerting;
  const move = (from: number, to: number) => {
    const moved = tags[from];
    if (moved === undefined || to < 0 || to >= tags.length) return;
    onChange?.({ tags: tags.toSpliced(from, 1).toSpliced(to, 0, moved) }, t.moved(moved.tag));
  };
  return (
    <Section title={t.title} lead={t.lead}>
      <div className="rounded-card border border-line px-4">
        <SettingRow title={t.project}>
          <WayField
            project={project}
            alerting={alerting}
            whose={t.project}
            isBusy={isBusy}
            value={policy}
            onChange={onChange && ((name) => onChange({ policy: name }, t.saved))}
          />
        </SettingRow>
      </div>
      <h3 className="font-medium">{t.tags}</h3>
      {tags.length === 0 ? (
        <p className="text-13 text-ink-3">{t.noTags}</p>
      ) : (
        <ol className="divide-y divide-line rounded-card border border-line">
          {tags.map((rule, place) => (
            <TagRow
              key={rule.tag}
              project={project}
              alerting={alerting}
              isBusy={isBusy}
              rule={rule}
              isFirst={place === 0}
              isLast={place === tags.length - 1}
              onMove={(step) => move(place, place + step)}
              onChange={
                onChange &&
                ((change) =>
                  onChange({ tags: tags.with(place, { ...rule, ...change }) }, t.savedTag(rule.tag)))
              }
              onRemove={() => onChange?.({ tags: tags.toSpliced(place, 1) }, t.removed(rule.tag))}
            />
          ))}
        </ol>
      )}
      {onChange !== null && <AddButton label={t.add} onAdd={() => setIsAdding(true)} />}
      {isAdding && (
        <AddTag
          project={project}
          alerting={alerting}
          onAdd={(added) =>
            onChange?.({ tags: [...tags.filter(({ tag }) => tag !== added.tag), added] }, t.added(added.tag))
          }
          onClose={() => setIsAdding(false)}
        />
      )}
    </Section>
  );
}

/** Whose choice it is, for the dialog and for screen readers. */
interface Whose {
  /** The UUID of the project. */
  readonly project: string;
  readonly alerting: Alerting;
  readonly whose: string;
}

function WayField({
  project,
  alerting,
  whose,
  value,
  mayFollow = false,
  isBusy,
  onChange,
}: Whose & {
  readonly value: string;
  /** Whether it may have no choice of its own. */
  readonly mayFollow?: boolean;
  readonly isBusy: boolean;
  readonly onChange: ((name: string) => void) | null;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <span className="text-13 text-ink-2 [overflow-wrap:anywhere]">{policyWords(value, alerting)}</span>
      {onChange !== null && (
        <Button size="small" aria-label={t.changeOf(whose)} disabled={isBusy} onClick={() => setIsOpen(true)}>
          {t.change}
        </Button>
      )}
      {isOpen && (
        <ChoiceDialog
          title={t.dialog(whose)}
          project={project}
          value={value}
          above={mayFollow ? aboveWords(policyWords(alerting.policy, alerting), null) : null}
          onChoose={(name) => name !== value && onChange?.(name)}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

const ICON_BUTTON =
  'grid size-8 place-items-center rounded-control hover:bg-hover disabled:opacity-45 max-md:size-11';

function TagRow({
  project,
  alerting,
  isBusy,
  rule: { tag, policy, asOne },
  isFirst,
  isLast,
  onMove,
  onChange,
  onRemove,
}: Omit<Whose, 'whose'> & {
  readonly isBusy: boolean;
  readonly rule: TagRule;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (step: number) => void;
  readonly onChange: ((change: Partial<TagRule>) => void) | null;
  readonly onRemove: () => void;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-0 flex-1 font-medium [overflow-wrap:anywhere] max-md:basis-full">{tag}</span>
      <WayField
        project={project}
        alerting={alerting}
        whose={t.ofTag(tag)}
        mayFollow={asOne}
        isBusy={isBusy}
        value={policy}
        onChange={onChange && ((name) => onChange({ policy: name }))}
      />
      {onChange === null ? (
        asOne && <span className="text-13 text-ink-2">{t.asOne}</span>
      ) : (
        <Checkbox
          label={t.asOne}
          aria-label={t.asOneOf(tag)}
          checked={asOne}
          // Without either nothing would be left of it.
          disabled={isBusy || policy === ''}
          onChange={(event) => onChange({ asOne: event.target.checked })}
        />
      )}
      {onChange !== null && (
        <span className="flex">
          <button
            type="button"
            aria-label={t.upOf(tag)}
            title={t.up}
            className={ICON_BUTTON}
            disabled={isBusy || isFirst}
            onClick={() => onMove(-1)}
          >
            <ArrowUp className="size-4" />
          </button>
          <button
            type="button"
            aria-label={t.downOf(tag)}
            title={t.down}
            className={ICON_BUTTON}
            disabled={isBusy || isLast}
            onClick={() => onMove(1)}
          >
            <ArrowDown className="size-4" />
          </button>
          <button
            type="button"
            aria-label={t.removeOf(tag)}
            title={t.remove}
            className={ICON_BUTTON}
            disabled={isBusy}
            onClick={onRemove}
          >
            <X className="size-4" />
          </button>
        </span>
      )}
    </li>
  );
}

function AddTag({
  project,
  alerting,
  onAdd,
  onClose,
}: Omit<Whose, 'whose'> & {
  readonly onAdd: (rule: TagRule) => void;
  readonly onClose: () => void;
}) {
  const [choice, setChoice] = useState<Choice>({ is: 'named', name: AT_ONCE_NAME });
  const taken = alerting.tags.map(({ tag }) => tag);
  return (
    <FormDialog
      title={t.add}
      action={t.add}
      isIncomplete={faultOf(choice) !== null}
      send={async ({ tag = '', asOne }) => ({
        ...{ tag, asOne: asOne !== undefined },
        policy: await madeChoice(project, choice, alerting),
      })}
      done={onAdd}
      onClose={onClose}
      className="grid gap-3.5"
    >
      <Field
        label={t.tag}
        hint={t.tagHint}
        name="tag"
        list="known-tags"
        autoComplete="off"
        pattern="\S+"
        maxLength={TEXT_LIMITS.checkTags}
        required
      />
      <datalist id="known-tags">
        {alerting.knownTags
          .filter((tag) => !taken.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
      <WhenToTell {...{ project, alerting, choice }} above={null} onChange={setChoice} />
      <Checkbox label={t.asOne} hint={t.asOneHint} name="asOne" />
    </FormDialog>
  );
}
