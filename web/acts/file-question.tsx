import { m } from '../messages/index.ts';
import { FormDialog } from '../ui/form.tsx';

const texts = m.checkActs.file;

/** A setting that a file has set, in words, and the source of the file. */
export interface FileSetting {
  readonly words: string;
  readonly source: string;
}

/** Tells which changes files will undo. Absent if there are none. */
export function FileSentences({ undone }: { readonly undone: readonly FileSetting[] }) {
  const bySource = [...Map.groupBy(undone, ({ source }) => source)];
  return bySource.map(([source, settings]) => (
    <p key={source} className="text-13 text-ink-2 [overflow-wrap:anywhere]">
      {texts.lasts(
        settings.map(({ words }) => words),
        source,
      )}
    </p>
  ));
}

/** Asks before somebody changes what files have set. */
export function FileQuestion({
  undone,
  action = texts.change,
  send,
  onClose,
}: {
  readonly undone: readonly FileSetting[];
  readonly action?: string;
  readonly send: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog title={texts.title} action={action} send={send} onClose={onClose}>
      <FileSentences undone={undone} />
    </FormDialog>
  );
}
