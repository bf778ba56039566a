import { m } from '../messages/index.ts';
import { Form, FormError, Submit } from '../ui/form.tsx';
import { actOnce } from './act.ts';

/** Signs in as a visitor. */
export function LookAround({ onDone }: { readonly onDone: () => void }) {
  return (
    <Form className="contents" send={() => actOnce.lookAround()} done={onDone} isKept>
      <Submit size="large">{m.demo.lookAround}</Submit>
      <FormError />
    </Form>
  );
}
