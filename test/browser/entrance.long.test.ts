import '../long-form.ts';
import './entrance.test.ts';
