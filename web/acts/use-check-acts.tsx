import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { act } from '../app/act.ts';
import { ApiError } from '../app/api.ts';
import { type Answer, query } from '../app/read.ts';
import { m } from '../messages/index.ts';
import { ConfirmDialog, FormDialog, Submit } from '../ui/form.tsx';
import { Select } from '../ui/select.tsx';
import { Ago } from '../ui/time.tsx';
import { tell, tellWithUndo } from '../ui/toasts.tsx';
import { attempt, pauseCheck, resumeCheck } from './pause.ts';

/** The check to which something is done. */
export interface ActedCheck {
  /** Its UUID, known only to people who may change it. */
  readonly uuid: string;
  readonly name: string;
  /** The UUID of its project. */
  readonly project: string;
}

/** Called after an act, for the page. */
export interface AfterActs {
  /** The check is no longer in its project. */
  readonly onGone?: () => void;
  /** A deleted check is back. */
  readonly onBack?: () => void;
  /** The check has another UUID. */
  readonly onReplaced?: (uuid: string) => void;
}

type Open =
  | {
      readonly kind: 'remove';
      readonly check: ActedCheck;
      readonly name: string;
      readonly lastPing: string | null;
    }
  | { readonly kind: 'clear' | 'replace' | 'move'; readonly check: ActedCheck };

type Target = Answer<'moveTargets'>[number];

const texts = m.checkActs;

/** Acts on a check, from a list or from its page. `dialog` has to stand somewhere on the page: some acts ask first. */
export function useCheckActs({ onGone, onBack, onReplaced }: AfterActs = {}) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);

  const copy = (check: ActedCheck) =>
    attempt(texts.couldNot.copy(check.name), async () => {
      const made = await act.copyCheck({ check: check.uuid });
      tell(texts.copied(made.name));
    });

  const restore = (check: ActedCheck) =>
    attempt(texts.couldNot.restore(check.name), async () => {
      const { refused } = await act.restoreChecks({ project: check.project, checks: [check.uuid] });
      if (refused[0] !== undefined) throw new Error(refused[0].error);
      tell(texts.restored(check.name));
      onBack?.();
    });
  const deleteNow = async (check: ActedCheck, typed: { readonly typedName?: string }) => {
    await act.deleteCheck({ check: check.uuid, ...typed });
    tellWithUndo(texts.deleted(check.name), () => void restore(check));
    onGone?.();
  };
  const remove = (check: ActedCheck) =>
    attempt(texts.couldNot.remove(check.name), async () => {
      try {
        await deleteNow(check, {});
      } catch (failure) {
        if (!(failure instanceof ApiError) || failure.code !== 'name_required') throw failure;
        const { name, lastPing } = failure.answer;
        const asked = { name: String(name), lastPing: typeof lastPing === 'string' ? lastPing : null };
        setOpen({ kind: 'remove', check, ...asked });
      }
    });

  const clearNow = async (check: ActedCheck) => {
    await act.clearCheck({ check: check.uuid });
    tell(texts.cleared(check.name));
  };
  const replaceNow = async (check: ActedCheck) => {
    const { uuid } = await act.replaceAddress({ check: check.uuid });
    tell(texts.replaced(check.name));
    onReplaced?.(uuid);
  };
  const relocate = async (check: ActedCheck, target: Target, isCopy: boolean) => {
    await act[isCopy ? 'copyCheck' : 'moveCheck']({ check: check.uuid, target: target.uuid });
    tell((isCopy ? texts.copiedTo : texts.moved)(check.name, target.name));
    if (!isCopy) onGone?.();
  };

  /** Stays open with the reason if the act fails. */
  const dialogOf = (asked: Open): ReactNode => {
    const { kind, check } = asked;
    const ends = { done: close, onClose: close };
    switch (kind) {
      case 'remove':
        return (
          <ConfirmDialog
            {...ends}
            title={texts.deletion.title(check.name)}
            typedName={asked.name}
            action={texts.deletion.action}
            run={() => deleteNow(check, { typedName: asked.name })}
          >
            {asked.lastPing !== null && (
              <>
                {texts.deletion.lastPing} <Ago at={asked.lastPing} />.{' '}
              </>
            )}
            {texts.deletion.consequence}
          </ConfirmDialog>
        );
      case 'clear':
      case 'replace': {
        const words = kind === 'clear' ? texts.clearing : texts.replacing;
        return (
          <ConfirmDialog
            {...ends}
            title={words.title(check.name)}
            action={words.action}
            refuse={m.controls.cancel}
            run={() => (kind === 'clear' ? clearNow(check) : replaceNow(check))}
          >
            {words.consequence}
          </ConfirmDialog>
        );
      }
      case 'move':
        return <MoveDialog {...ends} check={check} relocate={relocate} />;
      default:
        return kind satisfies never;
    }
  };

  return {
    dialog: open && dialogOf(open),
    pause: ({ uuid, name }: ActedCheck) => void pauseCheck({ ref: uuid, name }),
    resume: ({ uuid, name }: ActedCheck) => void resumeCheck({ ref: uuid, name }),
    copy: (check: ActedCheck) => void copy(check),
    move: (check: ActedCheck) => setOpen({ kind: 'move', check }),
    replaceAddress: (check: ActedCheck) => setOpen({ kind: 'replace', check }),
    clear: (check: ActedCheck) => setOpen({ kind: 'clear', check }),
    remove: (check: ActedCheck) => void remove(check),
  };
}

function MoveDialog({
  check,
  relocate,
  ...ends
}: {
  readonly check: ActedCheck;
  readonly relocate: (check: ActedCheck, target: Target, isCopy: boolean) => Promise<void>;
  readonly done: () => void;
  readonly onClose: () => void;
}) {
  const words = texts.moving;
  const { data } = useQuery(query.moveTargets({ project: check.project }));
  const projects = data ?? [];
  const free = projects.filter((project) => !project.isCurrent && !project.isFull);
  const [chosen, setChosen] = useState<string | null>(null);
  const target = projects.find(({ uuid }) => uuid === (chosen ?? free[0]?.uuid));
  const labelOf = ({ name, isCurrent, isFull }: Target) =>
    isCurrent ? words.current(name) : isFull ? words.full(name) : name;
  return (
    <FormDialog
      {...ends}
      title={words.title(check.name)}
      action={words.move}
      other={
        <Submit kind="plain" name="verb" value="copy" disabled={target === undefined}>
          {words.copy}
        </Submit>
      }
      isIncomplete={target === undefined}
      send={async ({ verb }) => target && relocate(check, target, verb === 'copy')}
    >
      {data !== undefined && free.length === 0 ? (
        <p className="text-13 text-ink-2">{words.none}</p>
      ) : (
        <Select
          label={words.project}
          value={target?.uuid ?? ''}
          onChange={(event) => setChosen(event.target.value)}
        >
          {projects.map((project) => (
            <option key={project.uuid} value={project.uuid} disabled={project.isCurrent || project.isFull}>
              {labelOf(project)}
            </option>
          ))}
        </Select>
      )}
      <p className="text-13 text-ink-2">{words.consequence}</p>
    </FormDialog>
  );
}
