import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { act } from '../app/act.ts';
import { ApiError } from '../app/api.ts';
import { type Answer, query } from '../app/read.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorText } from '../ui/error-text.tsx';
import { Select } from '../ui/select.tsx';
import { Ago } from '../ui/time.tsx';
import { tell, tellWithUndo } from '../ui/toasts.tsx';
import { TypedNameDialog } from '../ui/typed-name-dialog.tsx';
import { attempt, pauseCheck, resumeCheck } from './pause.ts';

/** The check to which something is done. */
export interface ActedCheck {
  /** Its UUID. Only whoever may change it knows it. */
  readonly uuid: string;
  /** As people call it. */
  readonly name: string;
  /** The UUID of its project. */
  readonly project: string;
}

/** What becomes of the page after an act. */
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
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * What people do to a check, from a list or from its page. `dialog` has to stand somewhere on the page: some acts ask
 * first.
 */
export function useCheckActs({ onGone, onBack, onReplaced }: AfterActs = {}) {
  const [open, setOpen] = useState<Open | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const close = () => {
    setOpen(null);
    setError(null);
  };

  /** Does it from a dialog, which stays open with the reason if it fails. */
  const decide = async (work: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await work();
      close();
    } catch (failure) {
      setError(reasonOf(failure));
    } finally {
      setIsBusy(false);
    }
  };

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

  const dialog: ReactNode = open && (
    <ActDialog
      open={open}
      isBusy={isBusy}
      error={error}
      onClose={close}
      onRemove={({ check, name }) => void decide(() => deleteNow(check, { typedName: name }))}
      onClear={(check) =>
        void decide(async () => {
          await act.clearCheck({ check: check.uuid });
          tell(texts.cleared(check.name));
        })
      }
      onReplace={(check) =>
        void decide(async () => {
          const { uuid } = await act.replaceAddress({ check: check.uuid });
          tell(texts.replaced(check.name));
          onReplaced?.(uuid);
        })
      }
      onRelocate={(check, verb, target) =>
        void decide(async () => {
          await act[verb === 'move' ? 'moveCheck' : 'copyCheck']({ check: check.uuid, target: target.uuid });
          const told = verb === 'move' ? texts.moved : texts.copiedTo;
          tell(told(check.name, target.name));
          if (verb === 'move') onGone?.();
        })
      }
    />
  );

  return {
    dialog,
    pause: ({ uuid, name }: ActedCheck) => void pauseCheck({ ref: uuid, name }),
    resume: ({ uuid, name }: ActedCheck) => void resumeCheck({ ref: uuid, name }),
    copy: (check: ActedCheck) => void copy(check),
    move: (check: ActedCheck) => setOpen({ kind: 'move', check }),
    replaceAddress: (check: ActedCheck) => setOpen({ kind: 'replace', check }),
    clear: (check: ActedCheck) => setOpen({ kind: 'clear', check }),
    remove: (check: ActedCheck) => void remove(check),
  };
}

interface DialogProps {
  readonly isBusy: boolean;
  readonly error: string | null;
  readonly onClose: () => void;
}

function ActDialog({
  open,
  onRemove,
  onClear,
  onReplace,
  onRelocate,
  ...props
}: DialogProps & {
  readonly open: Open;
  readonly onRemove: (asked: { readonly check: ActedCheck; readonly name: string }) => void;
  readonly onClear: (check: ActedCheck) => void;
  readonly onReplace: (check: ActedCheck) => void;
  readonly onRelocate: (check: ActedCheck, verb: 'move' | 'copy', target: Target) => void;
}) {
  const { check } = open;
  switch (open.kind) {
    case 'remove':
      return (
        <TypedNameDialog
          {...props}
          title={texts.deletion.title(check.name)}
          name={open.name}
          action={texts.deletion.action}
          onConfirm={() => onRemove(open)}
        >
          {open.lastPing !== null && (
            <>
              {texts.deletion.lastPing} <Ago at={open.lastPing} />.{' '}
            </>
          )}
          {texts.deletion.consequence}
        </TypedNameDialog>
      );
    case 'clear':
      return (
        <Decision {...props} name={check.name} texts={texts.clearing} onConfirm={() => onClear(check)} />
      );
    case 'replace':
      return (
        <Decision {...props} name={check.name} texts={texts.replacing} onConfirm={() => onReplace(check)} />
      );
    case 'move':
      return (
        <MoveDialog {...props} check={check} onRelocate={(verb, target) => onRelocate(check, verb, target)} />
      );
    default:
      return open satisfies never;
  }
}

/** One decision: what would be lost, and the word for it. */
function Decision({
  name,
  texts: words,
  isBusy,
  error,
  onClose,
  onConfirm,
}: DialogProps & {
  readonly name: string;
  readonly texts: {
    readonly title: (name: string) => string;
    readonly consequence: string;
    readonly action: string;
  };
  readonly onConfirm: () => void;
}) {
  return (
    <Dialog title={words.title(name)} onClose={onClose}>
      <p className="text-13 text-ink-2">{words.consequence}</p>
      {error !== null && <ErrorText>{error}</ErrorText>}
      <DialogActions>
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
          {words.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function MoveDialog({
  check,
  isBusy,
  error,
  onClose,
  onRelocate,
}: DialogProps & {
  readonly check: ActedCheck;
  readonly onRelocate: (verb: 'move' | 'copy', target: Target) => void;
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
    <Dialog title={words.title(check.name)} onClose={onClose}>
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
      {error !== null && <ErrorText>{error}</ErrorText>}
      <DialogActions>
        <Button onClick={onClose}>{m.controls.cancel}</Button>
        <Button
          isBusy={isBusy}
          disabled={target === undefined}
          onClick={() => target && onRelocate('copy', target)}
        >
          {words.copy}
        </Button>
        <Button
          kind="primary"
          isBusy={isBusy}
          disabled={target === undefined}
          onClick={() => target && onRelocate('move', target)}
        >
          {words.move}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
