import { type ActAnswer, act } from '../../app/act.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Glyph } from '../../ui/glyph.tsx';

const t = m.admin.doctor;

type Findings = NonNullable<ActAnswer<'examineInstallation'>['findings']>;

const SHAPES = { ok: 'up', warn: 'late', fail: 'down', skip: 'off' } as const;

/** Looks at the installation from all sides, as `tocsin doctor` does. */
export function Doctor() {
  const look = useShownAct(act.examineInstallation);
  const findings = look.answer?.findings ?? null;
  return (
    <Card
      title={t.title}
      lead={t.lead}
      action={
        <Button onClick={() => look.run()} isBusy={look.isBusy}>
          {look.isBusy ? t.looking : t.look}
        </Button>
      }
    >
      <div aria-live="polite">
        {look.error !== null && <ErrorText>{look.error.message}</ErrorText>}
        {look.answer !== undefined && findings === null && <p className="text-13 text-ink-2">{t.notHere}</p>}
        {findings !== null && <List findings={findings} />}
      </div>
    </Card>
  );
}

function List({ findings }: { readonly findings: Findings }) {
  return (
    <ul className="grid gap-3">
      {findings.map(({ name, verdict, sentence, advice }) => (
        <li key={name} className="flex gap-2.5">
          <Glyph shape={SHAPES[verdict]} label={t.verdicts[verdict]} className="mt-0.5 size-3.5" />
          <div className="min-w-0 wrap-anywhere">
            <code className="text-12 text-ink-3">{name}</code>
            <p className="text-13">{sentence}</p>
            {advice !== null && <p className="text-13 text-ink-2">{advice}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
