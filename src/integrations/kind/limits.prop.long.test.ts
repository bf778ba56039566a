import '../../../test/long-form.ts';
import './limits.prop.test.ts';
