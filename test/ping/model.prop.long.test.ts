import '../long-form.ts';
import './model.prop.test.ts';
