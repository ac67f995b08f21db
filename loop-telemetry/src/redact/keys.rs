//! Redacts the keys of maps during serialization to JSON.
//!
//! A model's tool call is JSON with keys that the model chose, and one of them may be a secret. The keys of our own
//! structures are fixed, and without them the result would be unreadable. Only during serialization can we tell them
//! apart: the former are keys of maps, the latter fields of structs.

use std::cell::RefCell;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::{REDACTED, Redactor};

/// Serializes like `inner`, with redacted keys of maps.
pub(super) struct RedactedKeys<'a, T> {
    redactor: &'a Redactor,
    inner: T,
    /// The keys of a map that contained secrets, because two of them must not become one.
    written: RefCell<Vec<String>>,
}

impl<'a, T> RedactedKeys<'a, T> {
    pub(super) const fn new(redactor: &'a Redactor, inner: T) -> Self {
        Self { redactor, inner, written: RefCell::new(Vec::new()) }
    }
}

/// A value inside another one.
struct Within<'a, T: ?Sized>(&'a Redactor, &'a T);

impl<T: Serialize + ?Sized> Serialize for Within<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.1.serialize(RedactedKeys::new(self.0, to))
    }
}

/// A key of a map. If it is not text, it stays as it is.
struct Key<'a, T: ?Sized> {
    redactor: &'a Redactor,
    key: &'a T,
    written: &'a RefCell<Vec<String>>,
}

impl<T: Serialize + ?Sized> Serialize for Key<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Ok(serde_json::Value::String(key)) = serde_json::to_value(self.key) else {
            return self.key.serialize(to);
        };
        let clean = self.redactor.redact(&key);
        if !clean.contains(REDACTED) {
            return to.serialize_str(&clean);
        }
        let mut written = self.written.borrow_mut();
        let names = std::iter::once(clean.to_string()).chain((2..).map(|number| format!("{clean} {number}")));
        // There is always another number.
        let name = names.into_iter().find(|name| !written.contains(name)).unwrap_or_default();
        written.push(name.clone());
        to.serialize_str(&name)
    }
}

/// Writes scalars as they are.
macro_rules! as_they_are {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<S::Ok, S::Error> { self.inner.$method(value) })*
    };
}

/// Handles lists of values of any name.
macro_rules! parts {
    ($($trait:ident::$method:ident),* $(,)?) => {
        $(impl<T: $trait> $trait for RedactedKeys<'_, T> {
            type Ok = T::Ok;
            type Error = T::Error;

            fn $method<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), T::Error> {
                self.inner.$method(&Within(self.redactor, value))
            }

            fn end(self) -> Result<T::Ok, T::Error> {
                self.inner.end()
            }
        })*
    };
}

/// Handles structs, whose field names are ours.
macro_rules! fields {
    ($($trait:ident),* $(,)?) => {
        $(impl<T: $trait> $trait for RedactedKeys<'_, T> {
            type Ok = T::Ok;
            type Error = T::Error;

            fn serialize_field<V: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &V,
            ) -> Result<(), T::Error> {
                self.inner.serialize_field(name, &Within(self.redactor, value))
            }

            fn end(self) -> Result<T::Ok, T::Error> {
                self.inner.end()
            }
        })*
    };
}

parts!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
);
fields!(SerializeStruct, SerializeStructVariant);

impl<T: SerializeMap> SerializeMap for RedactedKeys<'_, T> {
    type Ok = T::Ok;
    type Error = T::Error;

    fn serialize_key<K: Serialize + ?Sized>(&mut self, key: &K) -> Result<(), T::Error> {
        self.inner.serialize_key(&Key { redactor: self.redactor, key, written: &self.written })
    }

    fn serialize_value<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), T::Error> {
        self.inner.serialize_value(&Within(self.redactor, value))
    }

    fn end(self) -> Result<T::Ok, T::Error> {
        self.inner.end()
    }
}

impl<'a, S: Serializer> Serializer for RedactedKeys<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = RedactedKeys<'a, S::SerializeSeq>;
    type SerializeTuple = RedactedKeys<'a, S::SerializeTuple>;
    type SerializeTupleStruct = RedactedKeys<'a, S::SerializeTupleStruct>;
    type SerializeTupleVariant = RedactedKeys<'a, S::SerializeTupleVariant>;
    type SerializeMap = RedactedKeys<'a, S::SerializeMap>;
    type SerializeStruct = RedactedKeys<'a, S::SerializeStruct>;
    type SerializeStructVariant = RedactedKeys<'a, S::SerializeStructVariant>;

    as_they_are!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    );

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.serialize_some(&Within(self.redactor, value))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_newtype_struct(name, &Within(self.redactor, value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_newtype_variant(name, index, variant, &Within(self.redactor, value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        Ok(RedactedKeys::new(self.redactor, self.inner.serialize_seq(length)?))
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple, S::Error> {
        Ok(RedactedKeys::new(self.redactor, self.inner.serialize_tuple(length)?))
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        Ok(RedactedKeys::new(self.redactor, self.inner.serialize_tuple_struct(name, length)?))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let inner = self.inner.serialize_tuple_variant(name, index, variant, length)?;
        Ok(RedactedKeys::new(self.redactor, inner))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        Ok(RedactedKeys::new(self.redactor, self.inner.serialize_map(length)?))
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeStruct, S::Error> {
        Ok(RedactedKeys::new(self.redactor, self.inner.serialize_struct(name, length)?))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let inner = self.inner.serialize_struct_variant(name, index, variant, length)?;
        Ok(RedactedKeys::new(self.redactor, inner))
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}
